import { afterEach, describe, expect, it } from '@jest/globals';
import { PollingWorker } from './polling.worker.js';
import type { PollingWorkerOptions } from './polling.worker.js';

const hour = 3_600_000;
const turn = () => new Promise(setImmediate);
let started: PollingWorker[] = [];

/** Starts a worker. @param polls what each poll does; later ones find nothing */
function start(
  polls: ((worker: PollingWorker) => number | Promise<number>)[],
  options: Partial<PollingWorkerOptions> = {},
) {
  const done = { polls: 0, errors: [] as unknown[] };
  const worker: PollingWorker = new PollingWorker({
    poll: async () => (await polls[done.polls++]?.(worker)) ?? 0,
    minMs: hour,
    maxMs: hour,
    onError: (error) => void done.errors.push(error),
    ...options,
  });
  started.push(worker);
  worker.start();
  return { worker, done };
}

describe('PollingWorker', () => {
  afterEach(async () => {
    await Promise.all(started.map((worker) => worker.stop()));
    started = [];
  });

  it('polls again at once while polls find work, and then waits', async () => {
    const { done } = start([() => 3, () => 1]);
    await turn();
    expect(done.polls).toBe(3);
  });

  it('polls when it is woken, even during a poll', async () => {
    const { worker, done } = start([
      (it) => {
        it.wake();
        return 0;
      },
    ]);
    await turn();
    expect(done.polls).toBe(2);
    worker.wake();
    await turn();
    expect(done.polls).toBe(3);
  });

  it('shortens its wait to minMs after a commit of this process', async () => {
    let commit: () => void = () => undefined;
    const contexts = { onCommit: (callback: () => void) => void (commit = callback) };
    const { done } = start([], { minMs: 0, contexts });
    await turn();
    expect(done.polls).toBe(1);
    commit();
    await turn();
    expect(done.polls).toBe(2);
  });

  it('keeps waiting for minMs when a commit ends its wait sooner', async () => {
    let commit: () => void = () => undefined;
    const contexts = { onCommit: (callback: () => void) => void (commit = callback) };
    const { done } = start([], { maxMs: 2 * hour, contexts });
    await turn();
    commit();
    await turn();
    expect(done.polls).toBe(1);
  });

  it('reports a failed poll and continues after minMs', async () => {
    const errors = await new Promise<unknown[]>((resolve) => {
      const { done } = start([() => Promise.reject(new Error('no answer')), () => (resolve(done.errors), 0)], {
        minMs: 0,
      });
    });
    expect(errors).toEqual([new Error('no answer')]);
  });

  it('finishes its poll when it is stopped, and begins no other', async () => {
    let finish: (found: number) => void = () => undefined;
    const { worker, done } = start([() => new Promise((resolve) => (finish = resolve))]);
    const stopped = worker.stop();
    finish(1);
    await stopped;
    expect(done.polls).toBe(1);
  });
});
