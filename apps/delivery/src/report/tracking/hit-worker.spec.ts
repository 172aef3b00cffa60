import { describe, expect, it } from '@jest/globals';
import { earlyRetryAfter } from './hit.worker.js';

describe('a hit that comes before the outcome of its attempt', () => {
  it('is delivered again after a second, ten times, and then every 15 s', () => {
    expect([1, 10, 11, 249].map(earlyRetryAfter)).toEqual([1_000, 1_000, 15_000, 15_000]);
  });

  it('is dropped after an hour', () => {
    let waitedMs = 0;
    for (let deliveries = 1, afterMs = earlyRetryAfter(1); afterMs !== null; afterMs = earlyRetryAfter(++deliveries))
      waitedMs += afterMs;
    expect(Math.round(waitedMs / 60_000)).toBe(60);
  });
});
