import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#observability';
import type { ChunkCommit, ChunkCommitted } from './ledger-chunk.js';
import type { LedgerChunkRepository } from './ledger-chunk.repository.js';

/** Entries of one call: its locks are held for as long as it takes. */
const entriesMax = 400;
const retryMs = 250;
/**
 * Classes of SQLSTATE after which the same call may succeed: connection, rollback, resources, object not available,
 * operator, system (PostgreSQL appendix A).
 */
const passingClasses = new Set(['08', '40', '53', '55', '57', '58']);

interface Pending {
  commit: ChunkCommit;
  resolve(committed: ChunkCommitted): void;
  reject(error: unknown): void;
  onDelay(): void;
}

export interface GroupCommitterDependencies {
  ledger: Pick<LedgerChunkRepository, 'commit'>;
  log: Logger;
}

/**
 * The one committer of a process: while a call runs, commits of all its chunks and sends gather for the next one. A call
 * whose answer was lost is repeated unchanged until there is an answer, since its step says whether it was applied.
 */
export class GroupCommitter {
  #waiting: Pending[] = [];
  /** Those without an answer, waiting or called. */
  readonly #open = new Set<Pending>();
  #running = false;
  #stopped = false;

  constructor(private readonly parts: GroupCommitterDependencies) {}

  /**
   * @param onDelay called when the first call failed, so that what waits for the answer can be released
   * @returns once the commit is applied or refused
   * @throws Error if PostgreSQL refuses it for what it holds, and then nothing of it is recorded; or after `stop`
   */
  async commit(commit: ChunkCommit, onDelay: () => void): Promise<ChunkCommitted> {
    if (this.#stopped) throw stoppedError();
    return await new Promise((resolve, reject) => {
      const one: Pending = {
        commit,
        resolve: (committed) => (this.#open.delete(one), resolve(committed)),
        reject: (error) => (this.#open.delete(one), reject(error)),
        onDelay,
      };
      this.#open.add(one);
      this.#waiting.push(one);
      if (!this.#running) void this.#run();
    });
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Gives up calls without an answer; whether they were applied is for a take-over to find out. */
  stop(): void {
    this.#stopped = true;
    this.#waiting = [];
    for (const { reject } of [...this.#open]) reject(stoppedError());
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) await this.#call(this.#next());
    this.#running = false;
  }

  #next(): Pending[] {
    let entries = 0;
    const fits = this.#waiting.findIndex(({ commit }, at) => {
      entries += commit.outcomes.length + commit.marks.length;
      return at > 0 && entries > entriesMax;
    });
    return this.#waiting.splice(0, fits < 0 ? this.#waiting.length : fits);
  }

  async #call(group: readonly Pending[]): Promise<void> {
    try {
      const committed = await this.parts.ledger.commit(group.map(({ commit }) => commit));
      group.forEach(({ resolve }, at) => resolve(committed[at]!));
    } catch (error) {
      this.parts.log.warn({ err: error, chunks: group.length }, 'cannot commit results');
      for (const { onDelay } of group) onDelay();
      // A chunk whose row is locked must not delay the others: each is repeated alone, beside the next groups.
      for (const one of group) void this.#repeat(one, group.length === 1 ? error : null);
    }
  }

  async #repeat(one: Pending, lastError: unknown): Promise<void> {
    for (let error = lastError; !this.#stopped;) {
      if (error !== null && !isPassing(error)) return one.reject(error);
      await sleep(retryMs);
      try {
        const [committed] = await this.parts.ledger.commit([one.commit]);
        return one.resolve(committed!);
      } catch (again) {
        error = again;
      }
    }
    one.reject(stoppedError());
  }
}

const stoppedError = (): Error => new Error('The process stops');

/** An error without SQLSTATE is the connection's. */
function isPassing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || code.length !== 5 || passingClasses.has(code.slice(0, 2));
}
