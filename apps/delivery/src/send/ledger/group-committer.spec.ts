import { describe, expect, it } from '@jest/globals';
import { createLogger } from '#observability';
import { until } from '#testing';
import { GroupCommitter } from './group-committer.worker.js';
import type { ChunkCommit, ChunkCommitted } from './ledger-chunk.js';

const answer: ChunkCommitted = {
  held: true,
  sendState: 'RUNNING',
  settled: true,
  started: new Set(),
  refused: new Set(),
};
const commitOf = (pageNo: number) => ({ page: { pageNo }, outcomes: [], marks: [] }) as unknown as ChunkCommit;
const chunksOf = (commits: readonly ChunkCommit[]) => commits.map(({ page }) => page.pageNo);
const failure = (code?: string) => Object.assign(new Error(`failed ${code}`), { code });

/** A committer on a ledger of which each call does what `reply` says. */
function fixture(reply: (chunks: number[], call: number) => Promise<void>) {
  const calls: number[][] = [];
  const ledger = {
    commit: async (commits: readonly ChunkCommit[]) => {
      calls.push(chunksOf(commits));
      await reply(chunksOf(commits), calls.length);
      return commits.map(() => answer);
    },
  };
  const committer = new GroupCommitter({ ledger, log: createLogger('delivery', 'silent') });
  const delayed: number[] = [];
  const commit = (chunk: number) => committer.commit(commitOf(chunk), () => delayed.push(chunk));
  return { calls, delayed, commit, committer };
}

describe('the committer of a process', () => {
  it('gathers the commits of all chunks while a call runs', async () => {
    let goOn = () => {};
    const first = new Promise<void>((resolve) => (goOn = resolve));
    const { calls, commit } = fixture((_chunks, call) => (call === 1 ? first : Promise.resolve()));
    const all = [1, 2, 3].map(commit);
    goOn();
    expect(await Promise.all(all)).toEqual([answer, answer, answer]);
    expect(calls).toEqual([[1], [2, 3]]);
  });

  it('repeats a call whose answer was lost until there is one', async () => {
    const { calls, delayed, commit } = fixture((_chunks, call) =>
      call < 3 ? Promise.reject(failure('ECONNRESET')) : Promise.resolve(),
    );
    expect(await commit(1)).toEqual(answer);
    expect(calls).toEqual([[1], [1], [1]]);
    expect(delayed).toEqual([1]);
  });

  it('does not let a chunk whose row is locked delay the others', async () => {
    let locked = true;
    const { commit, calls } = fixture((chunks) =>
      locked && chunks.includes(1) ? Promise.reject(failure('55P03')) : Promise.resolve(),
    );
    const one = commit(1);
    const others = [commit(2), commit(3)];
    await Promise.all(others);
    await commit(4);
    locked = false;
    expect(await one).toEqual(answer);
    expect(calls.at(-1)).toEqual([1]);
  });

  it('rejects what PostgreSQL refuses for what it holds, and nothing else of the group', async () => {
    const { commit } = fixture((chunks) => (chunks.includes(2) ? Promise.reject(failure('TD010')) : Promise.resolve()));
    const [one, two, three] = [commit(1), commit(2), commit(3)];
    await expect(two).rejects.toThrow('failed TD010');
    expect(await Promise.all([one, three])).toEqual([answer, answer]);
  });

  it('gives up what has no answer when the process stops', async () => {
    const { calls, commit, committer } = fixture(() => Promise.reject(failure('08006')));
    const one = commit(1);
    await until('it was called', () => calls.length > 1);
    committer.stop();
    await expect(one).rejects.toThrow('The process stops');
    await expect(commit(2)).rejects.toThrow('The process stops');
  });
});
