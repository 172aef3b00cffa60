import { describe, expect, it } from '@jest/globals';
import { Semaphore, SemaphoreTimeout } from './semaphore.js';
import type { SemaphoreOptions } from './semaphore.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that begins when the semaphore admits it and ends on demand. */
const bench = (options: SemaphoreOptions) => {
  const semaphore = new Semaphore(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, request: { weight?: number; deadline?: number } = {}) =>
    semaphore.run({ key: name[0]!, ...request }, async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.set(name, end));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await settled();
  };
  return { semaphore, begun, start, end };
};

describe('the fair semaphore', () => {
  it('alternates between keys, and keeps the order within a key', async () => {
    const { begun, start, end } = bench({ limit: 1 });
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => start(name));
    await settled();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  });

  it('leaves room for other keys when one key is at its own limit', async () => {
    const { begun, start, end } = bench({ limit: 3, limitPerKey: 2 });
    const all = ['a1', 'a2', 'a3', 'b1'].map((name) => start(name));
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('a2');
    await end('a3');
    await Promise.all(all);
  });

  it('never admits light work before heavy work that waits for the common limit', async () => {
    const { begun, start, end } = bench({ limit: 10 });
    const all = [start('a1', { weight: 4 }), start('b1', { weight: 8 }), start('c1', { weight: 1 })];
    await settled();
    expect(begun).toEqual(['a1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('b1');
    await end('c1');
    await Promise.all(all);
  });

  it('runs work alone that is heavier than the limit', async () => {
    const { begun, start, end, semaphore } = bench({ limit: 10 });
    const all = [start('a1', { weight: 50 }), start('b1')];
    await settled();
    expect(begun).toEqual(['a1']);
    expect(semaphore.state).toEqual({ held: 10, waiting: 1 });
    await end('a1');
    await end('b1');
    await Promise.all(all);
    expect(semaphore.state).toEqual({ held: 0, waiting: 0 });
  });

  it('refuses work whose turn comes after its deadline, and goes on with the next', async () => {
    let now = 0;
    const { begun, start, end } = bench({ limit: 1, now: () => now });
    const first = start('a1');
    const late = expect(start('a2', { deadline: 5 })).rejects.toThrow(SemaphoreTimeout);
    const next = start('a3', { deadline: 50 });
    await settled();
    now = 10;
    await end('a1');
    await late;
    expect(begun).toEqual(['a1', 'a3']);
    await end('a3');
    await Promise.all([first, next]);
  });

  it('passes failures on and frees their room', async () => {
    const semaphore = new Semaphore({ limit: 1 });
    const broken = semaphore.run({ key: 'a' }, () => Promise.reject(new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
    expect(await semaphore.run({ key: 'b' }, () => 'done')).toBe('done');
  });

  it('keeps every key going and no limit broken, in any order of arrival', async () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 48_271) % 2_147_483_647) % n;
    const semaphore = new Semaphore({ limit: 6, limitPerKey: 4 });
    const held = new Map<string, number>();
    const sum = () => [...held.values()].reduce((all, one) => all + one, 0);
    const work = Array.from({ length: 500 }, () => {
      const [key, weight] = [`k${random(5)}`, 1 + random(4)];
      return semaphore.run({ key, weight }, async () => {
        held.set(key, (held.get(key) ?? 0) + weight);
        expect(held.get(key)).toBeLessThanOrEqual(4);
        expect(sum()).toBeLessThanOrEqual(6);
        for (let rounds = random(3); rounds > 0; rounds--) await Promise.resolve();
        held.set(key, held.get(key)! - weight);
      });
    });
    await Promise.all(work);
    expect(semaphore.state).toEqual({ held: 0, waiting: 0 });
  });
});
