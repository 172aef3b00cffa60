import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { TotalCache } from './total-cache.service.js';

it('shows the total of a first page on the following ones of the same list', async () => {
  const totals = new TotalCache();
  const ask = (asked: unknown, total: number, first: boolean) =>
    totals.of(asked, { first, count: () => Promise.resolve({ total }) });
  expect(await ask(['org', { query: 'a' }], 1, true)).toEqual({ total: 1 });
  expect(await ask(['org', { query: 'a' }], 2, false)).toEqual({ total: 1 });
  expect(await ask(['org', { query: 'b' }], 3, false)).toEqual({ total: 3 });
  expect(await ask(['org', { query: 'a' }], 4, true)).toEqual({ total: 4 });
});

it('keeps no filters in memory: a list may be asked for by a thousand addresses, thousands of times', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const totals = new TotalCache();
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let n = 0; n < 500; n++) {
    const values = Array.from({ length: 1_000 }, (_, i) => `somebody.${n}.${i}@long.domain.example.com`);
    await totals.of(['org', { values }], { first: true, count: () => Promise.resolve({ total: n }) });
  }
  expect((used() - before) / 1_000_000).toBeLessThan(5);
  expect(await totals.of(['other'], { first: true, count: () => Promise.resolve({ total: 7 }) })).toEqual({ total: 7 });
});
