import { describe, expect, it } from '@jest/globals';
import { PermitQueue } from './permit-queue.js';
import type { PermitTake } from './permit-queue.js';

describe('the permit queue', () => {
  it('has one open request, which carries all calls that arrive meanwhile', async () => {
    const requests: PermitTake[][] = [];
    let underWay = 0;
    const queue = new PermitQueue(async (takes) => {
      underWay += 1;
      expect(underWay).toBe(1);
      requests.push(takes);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return takes.map(({ organizationId, count }) => ({ organizationId, granted: count, remaining: 7, resetAt: 9 }));
    });
    const first = queue.take('org_a', 10);
    await new Promise((resolve) => setImmediate(resolve));
    const others = Promise.all([queue.take('org_a', 10), queue.take('org_b', 5), queue.take('org_a', 11)]);
    expect(await first).toEqual({ limit: 10, granted: true, remaining: 7, resetAt: 9 });
    expect((await others).map(({ remaining, limit }) => [limit, remaining])).toEqual([
      [11, 8],
      [5, 7],
      [11, 7],
    ]);
    expect(requests).toEqual([
      [{ organizationId: 'org_a', limit: 10, count: 1 }],
      [
        { organizationId: 'org_a', limit: 11, count: 2 },
        { organizationId: 'org_b', limit: 5, count: 1 },
      ],
    ]);
  });

  it('grants in the order of arrival', async () => {
    const queue = new PermitQueue((takes) =>
      Promise.resolve(takes.map(({ organizationId }) => ({ organizationId, granted: 2, remaining: 0, resetAt: 9 }))),
    );
    const grants = await Promise.all([1, 2, 3].map(() => queue.take('org_a', 2)));
    expect(grants.map(({ granted, remaining }) => [granted, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
  });

  it('splits more organizations than one request may carry', async () => {
    const sizes: number[] = [];
    const queue = new PermitQueue((takes) => {
      sizes.push(takes.length);
      return Promise.resolve(takes.map((take) => ({ ...take, granted: 1, remaining: 0, resetAt: 9 })));
    });
    await Promise.all(Array.from({ length: 2_500 }, (_, i) => queue.take(`org_${i}`, 1)));
    expect(sizes).toEqual([1000, 1000, 500]);
  });

  it('rejects all waiting calls if no answer arrives, and asks again for the next', async () => {
    let failing = true;
    const queue = new PermitQueue((takes) => {
      if (failing) return Promise.reject(new Error('away'));
      return Promise.resolve(takes.map((take) => ({ ...take, granted: 1, remaining: 0, resetAt: 9 })));
    });
    const results = await Promise.allSettled([queue.take('org_a', 1), queue.take('org_b', 1)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = false;
    expect(await queue.take('org_a', 1)).toMatchObject({ granted: true });
  });
});
