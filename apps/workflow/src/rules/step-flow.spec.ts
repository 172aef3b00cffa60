import { describe, expect, it } from '@jest/globals';
import { bucketsOf, flowOf } from './step-flow.js';

describe('the flow of runs over time', () => {
  it('divides days into as many buckets as allowed, each of equally many days', () => {
    expect(bucketsOf('2026-02-27', '2026-03-01', 120)).toEqual({
      buckets: ['2026-02-27', '2026-02-28', '2026-03-01'],
      bucketDays: 1,
    });
    const year = bucketsOf('2026-01-01', '2026-12-31', 120);
    expect(year.bucketDays).toBe(4);
    expect(year.buckets).toHaveLength(92);
    expect(bucketsOf('2026-05-01', '2026-05-01', 120).buckets).toEqual(['2026-05-01']);
  });

  it('counts entries and exits by bucket, and who waits at the end of each, also from before', () => {
    const count = (stepId: string, way: 'in' | 'out', day: string, n: number) => ({ stepId, way, day, n });
    const counts = [
      count('wait', 'in', '2026-04-30', 5),
      count('wait', 'out', '2026-04-30', 2),
      count('wait', 'in', '2026-05-01', 1),
      count('wait', 'out', '2026-05-03', 4),
      count('old', 'in', '2026-05-02', 1),
    ];
    const buckets = bucketsOf('2026-05-01', '2026-05-03', 120);
    expect(flowOf(counts, buckets, ['start', 'wait'])).toEqual([
      { stepId: 'start', entered: [0, 0, 0], left: [0, 0, 0], waiting: [0, 0, 0] },
      { stepId: 'wait', entered: [1, 0, 0], left: [0, 0, 4], waiting: [4, 4, 0] },
      { stepId: 'old', entered: [0, 1, 0], left: [0, 0, 0], waiting: [0, 1, 1] },
    ]);
  });
});
