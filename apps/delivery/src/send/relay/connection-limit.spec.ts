import { describe, expect, it } from '@jest/globals';
import { ConnectionLimit } from './connection-limit.js';

describe('the connections that a relay allows', () => {
  it('are as many as are wanted, until it refuses one', () => {
    const limit = new ConnectionLimit(20);
    limit.opened(7, 0);
    expect(limit.at(0)).toBe(20);
    expect(limit.refused(7, 1_000)).toBe(true);
    expect(limit.at(1_000)).toBe(7);
    expect(limit.at(15_999)).toBe(7);
  });

  it('are tried with one more after a while, and again after a while when that one is refused', () => {
    const limit = new ConnectionLimit(20);
    limit.refused(7, 0);
    expect(limit.at(15_000)).toBe(8);
    expect(limit.refused(7, 15_100)).toBe(false);
    expect(limit.at(15_200)).toBe(7);
    expect(limit.at(30_100)).toBe(8);
  });

  it('grow by one a second while the relay accepts more, up to the demand', () => {
    const limit = new ConnectionLimit(9);
    limit.refused(7, 0);
    limit.opened(8, 15_000);
    expect([limit.at(15_001), limit.at(16_000)]).toEqual([8, 9]);
    limit.opened(9, 16_000);
    expect(limit.at(60_000)).toBe(9);
  });
});
