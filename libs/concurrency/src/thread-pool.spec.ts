import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '#testing';
import type { ThreadPoolLimit } from './thread-pool.js';
import { ThreadPool } from './thread-pool.js';

const source = `
import { parentPort, threadId } from 'node:worker_threads';
parentPort.postMessage('ready');
parentPort.on('message', (work) => {
  if (work === 'spin') for (;;);
  if (work === 'end') process.exit(1);
  if (work === 'grow') for (const kept = []; ; ) kept.push(Array.from({ length: 100_000 }, (_, n) => String(n)));
  if (work === 'fail') parentPort.postMessage({ error: 'broken' });
  else parentPort.postMessage({ result: [work, threadId] });
});`;

describe('the thread pool', () => {
  let folder: string;
  let file: URL;
  const pools: ThreadPool[] = [];
  const pool = (change: object = {}) => {
    const one = new ThreadPool({ file, threads: 2, timeLimitMs: 60_000, memoryLimitMb: 64, ...change });
    pools.push(one);
    return one;
  };
  const limitOf = (work: Promise<unknown>) => work.catch((error: ThreadPoolLimit) => error.limit ?? error.message);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'thread-pool-'));
    writeFileSync(join(folder, 'thread.mjs'), source);
    file = pathToFileURL(join(folder, 'thread.mjs'));
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((one) => one.stop()));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('answers, uses a thread again, and passes failures on', async () => {
    const one = pool();
    const [, thread] = (await one.run({ key: 'a' }, 'first')) as [string, number];
    expect(await one.run({ key: 'b' }, 'second')).toEqual(['second', thread]);
    await expect(one.run({ key: 'a' }, 'fail')).rejects.toThrow('broken');
    expect(await one.run({ key: 'a' }, 'third')).toEqual(['third', thread]);
  });

  it('keeps a thread free of a key whose work fills its share', async () => {
    const one = pool({ timeLimitMs: 2_000 });
    const stuck = [limitOf(one.run({ key: 'a' }, 'spin')), limitOf(one.run({ key: 'a' }, 'spin'))];
    const ended = Promise.race(stuck).then(() => 'stuck work ended first');
    expect(await Promise.race([one.run({ key: 'b' }, 'other'), ended])).toMatchObject(['other', expect.any(Number)]);
    expect(await Promise.all(stuck)).toEqual(['TIME', 'TIME']);
  });

  it('ends work that passes the limit of time, and goes on with a new thread', async () => {
    const one = pool({ timeLimitMs: 2_000, threads: 1 });
    expect(await limitOf(one.run({ key: 'a' }, 'spin'))).toBe('TIME');
    expect(await one.run({ key: 'a' }, 'after')).toMatchObject(['after', expect.any(Number)]);
  });

  it('ends work that passes the limit of memory, and nothing else', async () => {
    const one = pool();
    const growing = limitOf(one.run({ key: 'a' }, 'grow'));
    expect(await one.run({ key: 'b' }, 'beside')).toMatchObject(['beside', expect.any(Number)]);
    expect(await growing).toBe('MEMORY');
    expect(await one.run({ key: 'a' }, 'after')).toMatchObject(['after', expect.any(Number)]);
  });

  it('fails work whose thread ends by itself', async () => {
    expect(await limitOf(pool().run({ key: 'a' }, 'end'))).toBe('The thread ended');
  });

  it('ends threads that are idle', async () => {
    const one = pool({ idleMs: 1 });
    const [, first] = (await one.run({ key: 'a' }, 'x')) as [string, number];
    await until('another thread does the work', async () => {
      const [, next] = (await one.run({ key: 'a' }, 'x')) as [string, number];
      return next !== first;
    });
  });
});
