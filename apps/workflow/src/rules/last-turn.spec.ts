import { describe, expect, it } from '@jest/globals';
import { lastTurn } from './last-turn.js';

const runsOf = (...organizationIds: string[]) => organizationIds.map((organizationId) => ({ organizationId }));

describe('the last turn', () => {
  it('is that of the highest id, whatever the order of the claimed runs', () => {
    expect(lastTurn(runsOf('b', 'c', 'a', 'b'), null)).toBe('c');
    expect(lastTurn(runsOf('d', 'c'), 'b')).toBe('d');
  });

  it('is one before the beginning once all behind it had theirs', () => {
    expect(lastTurn(runsOf('c', 'a'), 'b')).toBe('a');
    expect(lastTurn(runsOf('b'), 'b')).toBe('b');
  });

  it('stays where nothing was claimed', () => {
    expect(lastTurn([], 'b')).toBe('b');
    expect(lastTurn([], null)).toBeNull();
  });
});
