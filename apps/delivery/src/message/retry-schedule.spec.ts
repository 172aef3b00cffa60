import { describe, expect, it } from '@jest/globals';
import { giveUpAfterSeconds, retryWait } from './retry-schedule.js';

describe('retryWait', () => {
  it('waits longer and longer', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100].map((attempts) => retryWait(attempts, 0))).toEqual([
      15, 30, 60, 300, 900, 1800, 3600, 7200, 14_400, 14_400, 14_400,
    ]);
  });

  it('gives up after four days', () => {
    expect(retryWait(30, giveUpAfterSeconds - 14_400)).toBe(14_400);
    expect(retryWait(30, giveUpAfterSeconds - 14_399)).toBeNull();
    expect(retryWait(1, giveUpAfterSeconds)).toBeNull();
  });

  it('ends for a message that is never taken', () => {
    let age = 0;
    let attempts = 0;
    for (let wait: number | null = 0; wait !== null; wait = retryWait(attempts, age)) {
      age += wait;
      attempts += 1;
    }
    expect(attempts).toBeGreaterThan(20);
    expect(attempts).toBeLessThan(40);
  });
});
