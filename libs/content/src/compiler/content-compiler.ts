import { createHash } from 'node:crypto';
import { SemaphoreTimeout, ThreadPool, ThreadPoolLimit } from '#concurrency';
import { contentTasks } from './content-tasks.js';
import type { ContentTasks } from './content-tasks.js';
import type { ContentRequest } from './content.worker.js';
import { SizedCache } from './sized-cache.js';

/** Processor time of the largest content that is accepted is below 1 s, also on a slow machine. */
const defaultTimeLimitMs = 10_000;
/** The largest content that is accepted takes some 40 MB. */
const memoryLimitMb = 128;
/** Characters of JSON that all kept results may have; in memory a result takes two to four times that. */
const keptMax = 8_000_000;

/** Characters of JSON up to which a task is done in place: at most some 20 ms, and moving it would cost more. */
const inPlaceMax = 2_000;

/** Content cannot be worked on within the limits; the message is for the caller, after "content …". */
export class ContentTooComplex extends Error {
  override readonly name = 'ContentTooComplex';
}

export interface ContentRequester {
  organizationId: string;
  /** Milliseconds since 1970. */
  deadline: number;
}

/** Tasks whose results are asked for again and again: a mail is looked at, tested, scheduled and sent. */
const KEPT = new Set<keyof ContentTasks>(['mailReferences', 'hasUnsubscribeLink', 'compileMail']);

/** Works on content on threads of its own, fair over organizations, and keeps the results used last. */
export class ContentCompiler {
  readonly #pool: ThreadPool;
  readonly #kept = new SizedCache<string, { result: unknown; size: number }>(keptMax, ({ size }) => size);

  readonly #timeLimitMs: number;

  /** @param options `file`: the compiled thread, default this library's; `timeLimitMs`: of one piece of work */
  constructor(options: { threads?: number; file?: string | undefined; timeLimitMs?: number } = {}) {
    const { threads = 2, file = './content.worker.js', timeLimitMs = defaultTimeLimitMs } = options;
    this.#timeLimitMs = timeLimitMs;
    this.#pool = new ThreadPool({ file: new URL(file, import.meta.url), threads, timeLimitMs, memoryLimitMb });
  }

  /**
   * Runs one task of `contentTasks`; its result is shared and must not be changed.
   * @throws ContentTooComplex past the limits of time and memory; SemaphoreTimeout when no thread was free in time
   */
  async run<K extends keyof ContentTasks>(
    task: K,
    { organizationId, deadline }: ContentRequester,
    ...args: Parameters<ContentTasks[K]>
  ): Promise<ReturnType<ContentTasks[K]>> {
    const request: ContentRequest = { task, args };
    const written = JSON.stringify(request);
    const key = KEPT.has(task) ? createHash('sha256').update(written).digest('base64') : null;
    const known = key === null ? undefined : this.#kept.get(key);
    if (known) return known.result as ReturnType<ContentTasks[K]>;
    const result =
      written.length <= inPlaceMax
        ? (contentTasks[task] as (...args: unknown[]) => unknown)(...args)
        : await this.#onThread({ key: organizationId, deadline }, request);
    if (key !== null) this.#kept.set(key, { result, size: JSON.stringify(result).length });
    return result as ReturnType<ContentTasks[K]>;
  }

  async #onThread(owner: { key: string; deadline: number }, request: ContentRequest): Promise<unknown> {
    try {
      return await this.#pool.run(owner, request);
    } catch (error) {
      if (error instanceof ThreadPoolLimit)
        throw new ContentTooComplex(tooComplex(error.limit, this.#timeLimitMs / 1_000));
      throw error;
    }
  }

  get keptSize(): number {
    return this.#kept.size;
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }
}

const tooComplex = (limit: ThreadPoolLimit['limit'], seconds: number): string =>
  `needs more than ${limit === 'TIME' ? `${seconds} s` : `${memoryLimitMb} MB`} to be read; simplify or shorten it`;

export { SemaphoreTimeout };
