import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PermitQueue } from './permit-queue.js';
import type { Limiter, PermitReturn, PermitTake } from './permit-queue.js';

const queueOf = (take: Limiter['take']) => new PermitQueue({ take, giveBack: () => Promise.resolve() });

describe('the permit queue', () => {
  it('has one open request, which carries all calls that arrive meanwhile', async () => {
    const requests: PermitTake[][] = [];
    let underWay = 0;
    const queue = queueOf(async (takes) => {
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
    const queue = queueOf((takes) =>
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
    const queue = queueOf((takes) => {
      sizes.push(takes.length);
      return Promise.resolve(takes.map((take) => ({ ...take, granted: 1, remaining: 0, resetAt: 9 })));
    });
    await Promise.all(Array.from({ length: 2_500 }, (_, i) => queue.take(`org_${i}`, 1)));
    expect(sizes).toEqual([1000, 1000, 500]);
  });

  it('rejects all waiting calls if no answer arrives, and asks again for the next', async () => {
    let failing = true;
    const queue = queueOf((takes) => {
      if (failing) return Promise.reject(new Error('away'));
      return Promise.resolve(takes.map((take) => ({ ...take, granted: 1, remaining: 0, resetAt: 9 })));
    });
    const results = await Promise.allSettled([queue.take('org_a', 1), queue.take('org_b', 1)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = false;
    expect(await queue.take('org_a', 1)).toMatchObject({ granted: true });
  });

  describe('takes permits ahead', () => {
    afterEach(() => {
      jest.useRealTimers();
    });

    /** A limiter whose seconds end as given, and a queue on its clock. */
    function limiter({ remaining, secondEndsInMs }: { remaining: number; secondEndsInMs: number }) {
      jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
      const takes: number[] = [];
      const returns: PermitReturn[] = [];
      const take: Limiter['take'] = ([one]) => {
        takes.push(one!.count);
        return Promise.resolve([
          {
            organizationId: 'org_a',
            granted: one!.count,
            remaining,
            resetAt: 9,
            second: 1_000 + takes.length,
            secondEndsInMs,
          },
        ]);
      };
      const giveBack: Limiter['giveBack'] = (some) => Promise.resolve(returns.push(...some));
      const queue = new PermitQueue({ take, giveBack });
      const call = async (limit = 2_000) => await queue.take('org_a', limit);
      return { takes, returns, call };
    }

    it('twice what the rate makes until the end of the second, and counts them down', async () => {
      const { takes, call } = limiter({ remaining: 1_000, secondEndsInMs: 800 });
      await Promise.all([call(), call()]);
      jest.advanceTimersByTime(300);
      // Three calls in 300 ms, and 500 ms are left.
      const [waited, ahead, next] = [await call(), await call(), await call()];
      expect(takes).toEqual([2, 11]);
      expect([waited, ahead, next].map(({ remaining }) => remaining)).toEqual([1_010, 1_009, 1_008]);
    });

    it('also in the next second', async () => {
      const { takes, call } = limiter({ remaining: 10_000, secondEndsInMs: 800 });
      await Promise.all(Array.from({ length: 99 }, () => call()));
      jest.advanceTimersByTime(1_000);
      await call();
      expect(takes).toEqual([99, 161]);
    });

    it('of what is left at most a twentieth', async () => {
      const { takes, call } = limiter({ remaining: 39, secondEndsInMs: 800 });
      await Promise.all([1, 2, 3].map(() => call()));
      await call();
      expect(takes).toEqual([3, 2]);
    });

    it('and returns at the end of their second what is not used', async () => {
      const { takes, returns, call } = limiter({ remaining: 1_000, secondEndsInMs: 800 });
      await Promise.all([1, 2, 3].map(() => call()));
      jest.advanceTimersByTime(400);
      await call();
      await call();
      expect(takes).toEqual([3, 9]);
      jest.advanceTimersByTime(799);
      expect(returns).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(returns).toEqual([{ organizationId: 'org_a', second: 1_002, count: 7 }]);
      await call();
      expect(takes).toHaveLength(3);
    });

    it('and uses none of them under another limit', async () => {
      const { takes, call } = limiter({ remaining: 1_000, secondEndsInMs: 800 });
      await call();
      await call();
      await call(100);
      expect(takes).toHaveLength(3);
      expect(takes[2]).toBe(1);
    });

    it('not for a caller that was silent for seconds', async () => {
      const { takes, call } = limiter({ remaining: 1_000, secondEndsInMs: 800 });
      await Promise.all([1, 2, 3].map(() => call()));
      jest.advanceTimersByTime(3_000);
      await call();
      expect(takes).toEqual([3, 1]);
    });
  });
});
