import { describe, expect, it } from '@jest/globals';
import { mergeTakes, shareGrants } from './permit.js';

const take = (organizationId: string, count: number, limit = 10) => ({ organizationId, count, limit });

describe('takes of permits', () => {
  it('are joined by organization under the lowest limit, in the order of the ids', () => {
    expect(mergeTakes([take('b', 2), take('a', 1), take('b', 3, 7)])).toEqual([take('a', 1), take('b', 5, 7)]);
  });

  it('share the granted permits in their order', () => {
    const takes = [take('a', 2), take('b', 1), take('a', 3), take('a', 1)];
    const grants = [
      { organizationId: 'a', granted: 4, remaining: 0, resetAt: 99, resetInMs: 1_000, second: 38, secondEndsInMs: 500 },
      { organizationId: 'b', granted: 1, remaining: 8, resetAt: 77, resetInMs: 1_000, second: 38, secondEndsInMs: 500 },
    ];
    expect(shareGrants(takes, grants).map(({ organizationId, granted }) => [organizationId, granted])).toEqual([
      ['a', 2],
      ['b', 1],
      ['a', 2],
      ['a', 0],
    ]);
  });
});
