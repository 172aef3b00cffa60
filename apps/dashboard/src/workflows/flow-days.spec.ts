import { describe, expect, it } from '@jest/globals';
import { bucketOf, countsAt, firstDay, waitingAt } from './flow-days.js';

const flow = {
  buckets: ['2026-11-01', '2026-11-04', '2026-11-07'],
  steps: [
    { stepId: 'a', entered: [3, 0, 1], left: [1, 0, 0], waiting: [2, 2, 3] },
    { stepId: 'b', entered: [1, 0, 0], left: [0, 1, 0], waiting: [1, 0, 0] },
  ],
};

describe('the days of a flow', () => {
  it('finds the bucket that holds a day, and the last one for any other', () => {
    expect(
      ['2026-11-01', '2026-11-05', '2026-11-30', '2026-10-01', undefined].map((day) => bucketOf(flow, day)),
    ).toEqual([0, 1, 2, 2, 2]);
  });

  it('counts who waited at the end of a bucket', () => {
    expect(countsAt(flow, 'a', 2)).toEqual({ waiting: 3, entered: 1 });
    expect(countsAt(flow, 'gone', 2)).toEqual({ waiting: 0, entered: 0 });
    expect([0, 1, 2].map((place) => waitingAt(flow, place))).toEqual([3, 2, 3]);
  });

  it('counts today as the last day of a period', () => {
    expect(firstDay(7, Date.parse('2026-11-07T23:59:00Z'))).toBe('2026-11-01');
  });
});
