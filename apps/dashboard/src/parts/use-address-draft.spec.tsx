/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { useAddressDraft } from './use-address-draft.js';

describe('useAddressDraft', () => {
  const written: string[] = [];
  const draftOf = (value: string) =>
    renderHook(({ address }) => useAddressDraft(address, (next) => written.push(next)), {
      initialProps: { address: value },
    });
  const pass = (ms: number) => act(() => jest.advanceTimersByTime(ms));
  beforeEach(() => {
    written.length = 0;
    jest.useFakeTimers();
  });
  afterEach(() => void jest.useRealTimers());

  it('shows each key at once and writes the address once typing pauses', () => {
    const { result } = draftOf('');
    for (const text of ['a', 'ad', 'ada']) {
      act(() => result.current[1](text));
      pass(100);
      expect(result.current[0]).toBe(text);
    }
    expect(written).toEqual([]);
    pass(400);
    expect(written).toEqual(['ada']);
  });

  it('keeps what is typed while the address follows', () => {
    const { result, rerender } = draftOf('');
    act(() => result.current[1]('a'));
    pass(400);
    act(() => result.current[1]('ad'));
    rerender({ address: 'a' });
    expect(result.current[0]).toBe('ad');
    pass(400);
    rerender({ address: 'ad' });
    expect(result.current[0]).toBe('ad');
    expect(written).toEqual(['a', 'ad']);
  });

  it('keeps what the address leaves out', () => {
    const { result, rerender } = renderHook(
      ({ address }) => useAddressDraft(address, (next) => written.push(next), { settle: (text) => text.trim() }),
      { initialProps: { address: '' } },
    );
    act(() => result.current[1]('ada '));
    pass(400);
    rerender({ address: 'ada' });
    expect(result.current[0]).toBe('ada ');
    expect(written).toEqual(['ada']);
  });

  it('follows an address that changed by other means', () => {
    const { result, rerender } = draftOf('a');
    act(() => result.current[1]('ab'));
    rerender({ address: '' });
    expect(result.current[0]).toBe('');
    pass(1_000);
    expect(written).toEqual([]);
  });
});
