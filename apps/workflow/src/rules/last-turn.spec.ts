import { describe, expect, it } from '@jest/globals';
import { lastTurn } from './last-turn.js';

const last = (organizationIds: string, after: string | null, most = 10) =>
  lastTurn(
    [...organizationIds].map((organizationId) => ({ organizationId })),
    { after, most },
  );

describe('the last turn', () => {
  it('is that of the highest id, whatever the order of the claimed runs', () => {
    expect(last('bcab', null)).toBe('c');
    expect(last('dc', 'b')).toBe('d');
  });

  it('is one before the beginning once all behind it had theirs', () => {
    expect(last('ca', 'b')).toBe('a');
    expect(last('b', 'b')).toBe('b');
    expect(last('ab', 'c')).toBe('b');
  });

  it('is the one before where the claim was full, since the last share may be incomplete', () => {
    expect(last('bcab', null, 4)).toBe('b');
    expect(last('cab', 'b', 3)).toBe('a');
    expect(last('aaab', 'a', 4)).toBe('b');
    expect(last('aaaa', null, 4)).toBe('a');
  });

  it('stays where nothing was claimed', () => {
    expect(last('', 'b')).toBe('b');
    expect(last('', null)).toBeNull();
  });
});
