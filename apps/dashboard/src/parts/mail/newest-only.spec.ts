import { describe, expect, it } from '@jest/globals';
import { NewestOnly } from './newest-only.js';

/** Work that ends when the test says so. */
function heldWork() {
  const begun: string[] = [];
  const reported: string[] = [];
  let end: () => void = () => undefined;
  let noted: () => void = () => undefined;
  const newest = new NewestOnly<string, string>(
    async (input) => {
      begun.push(input);
      await new Promise<void>((resolve) => (end = resolve));
      return input.toUpperCase();
    },
    (input, outcome) => {
      reported.push(`${input} → ${outcome}`);
      noted();
    },
  );
  const endOne = async () => {
    const report = new Promise<void>((resolve) => (noted = resolve));
    end();
    await report;
  };
  return { newest, begun, reported, endOne };
}

describe('NewestOnly', () => {
  it('skips what newer input has replaced, and does the newest last', async () => {
    const { newest, begun, reported, endOne } = heldWork();
    for (const input of ['a', 'b', 'c', 'd']) newest.take(input);
    expect(begun).toEqual(['a']);
    await endOne();
    await endOne();
    expect(reported).toEqual(['a → A', 'd → D']);
    expect(begun).toEqual(['a', 'd']);
  });

  it('begins at once when nothing is in progress', async () => {
    const { newest, begun, endOne } = heldWork();
    newest.take('a');
    await endOne();
    newest.take('b');
    expect(begun).toEqual(['a', 'b']);
    await endOne();
  });
});
