import { describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import { BatchBuffer } from './batch-buffer.js';

function setUp(sizeMax = 100) {
  const seen = { delivered: [] as number[], lost: [] as number[], failures: 0 };
  const state = { failing: false };
  const buffer = new BatchBuffer<number>({
    deliver: (items) => {
      if (state.failing) return items.map(() => Promise.reject(new Error('away')));
      seen.delivered.push(...items);
      return items.map(() => Promise.resolve());
    },
    batchMax: 64,
    sizeMax,
    onLost: (item) => seen.lost.push(item),
    onFailure: () => (seen.failures += 1),
  });
  return { buffer, seen, state };
}

describe('BatchBuffer', () => {
  it('hands over everything, also what comes while it is busy', async () => {
    const { buffer, seen } = setUp();
    for (let i = 0; i < 100; i++) buffer.add(i);
    expect(await buffer.stop(30_000)).toBe(0);
    expect(seen.delivered.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  it('keeps rejected items and retries them', async () => {
    const { buffer, seen, state } = setUp();
    state.failing = true;
    buffer.add(1);
    buffer.add(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(buffer.size).toBe(2);
    expect(seen.failures).toBe(1);
    state.failing = false;
    expect(await buffer.stop(30_000)).toBe(0);
    expect(seen.delivered.sort()).toEqual([1, 2]);
  });

  it('does not delay other items behind a rejected one', async () => {
    const delivered: number[] = [];
    const buffer = new BatchBuffer<number>({
      deliver: (items) =>
        items.map((item) =>
          item < 0 ? Promise.reject(new Error('away')) : Promise.resolve(void delivered.push(item)),
        ),
      batchMax: 64,
      sizeMax: 200,
      onLost: () => undefined,
      onFailure: () => undefined,
    });
    for (let i = 1; i <= 100; i++) buffer.add(-i);
    buffer.add(1);
    await until('the other is handed over', () => delivered.length === 1);
    expect(await buffer.stop(0)).toBe(100);
  });

  it('holds no more than it may, and reports what is lost', async () => {
    const { buffer, seen, state } = setUp(2);
    state.failing = true;
    for (const item of [1, 2, 3]) buffer.add(item);
    expect(seen.lost).toEqual([3]);
    expect(await buffer.stop(0)).toBe(2);
  });

  it('delivers items that arrive within gatherMs together, a batch at a time', async () => {
    const batches: (readonly number[])[] = [];
    const buffer = new BatchBuffer<number>({
      deliver: (items) => (batches.push(items), items.map(() => Promise.resolve())),
      batchMax: 2,
      sizeMax: 100,
      gatherMs: 3_600_000,
      onLost: () => undefined,
      onFailure: () => undefined,
    });
    for (const item of [1, 2, 3]) buffer.add(item);
    expect(batches).toEqual([]);
    expect(await buffer.stop(30_000)).toBe(0);
    expect(batches).toEqual([[1, 2], [3]]);
  });
});
