import { Worker } from 'node:worker_threads';
import { Semaphore } from './semaphore.js';
import type { SemaphoreRequest } from './semaphore.js';

export interface ThreadPoolOptions {
  /** The compiled module, which posts `'ready'` once it is loaded, and then one answer to each message. */
  file: URL;
  /** Pieces of work at a time; one key never holds the last thread, unless there is only one. */
  threads: number;
  /** Milliseconds that one piece of work may take on a thread that is ready; then the thread is ended. */
  timeLimitMs: number;
  /** MiB of heap that a thread may use; then it is ended. */
  memoryLimitMb: number;
  /** MiB of that for new objects; default: what V8 chooses. */
  youngMemoryMb?: number;
  /** Milliseconds without work after which a thread is ended. */
  idleMs?: number;
}

/** A piece of work passed a limit of its thread; `limit` says which. */
export class ThreadPoolLimit extends Error {
  override readonly name = 'ThreadPoolLimit';

  constructor(readonly limit: 'TIME' | 'MEMORY') {
    super(`The work passed the limit of ${limit === 'TIME' ? 'time' : 'memory'}`);
  }
}

type ThreadAnswer = { result: unknown } | { error: string };

/**
 * Runs work on threads, one piece a thread at a time, fair over keys. Threads start when they are first needed and end
 * when they have been idle; one that passes a limit is ended, which costs only the work that passed it.
 */
export class ThreadPool {
  readonly #semaphore: Semaphore;
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  readonly #all = new Set<Worker>();
  readonly #options: ThreadPoolOptions & { idleMs: number };

  constructor(options: ThreadPoolOptions) {
    this.#options = { idleMs: 30_000, ...options };
    const { threads } = options;
    this.#semaphore = new Semaphore({ limit: threads, limitPerKey: Math.max(1, threads - 1) });
  }

  /**
   * Posts a structured-cloneable message to a thread and awaits its answer.
   * @throws ThreadPoolLimit; SemaphoreTimeout; Error with the message of what the work threw
   */
  async run(request: Omit<SemaphoreRequest, 'weight'>, message: unknown): Promise<unknown> {
    return await this.#semaphore.run(request, async () => await this.#ask(this.#take(), message));
  }

  async stop(): Promise<void> {
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #take(): { worker: Worker; isReady: boolean } {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.timer);
      return { worker: idle.worker, isReady: true };
    }
    const { file, memoryLimitMb: maxOldGenerationSizeMb, youngMemoryMb: maxYoungGenerationSizeMb } = this.#options;
    const worker = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb, ...(maxYoungGenerationSizeMb && { maxYoungGenerationSizeMb }) },
    });
    this.#all.add(worker);
    worker.once('exit', () => {
      this.#all.delete(worker);
      const place = this.#idle.findIndex((one) => one.worker === worker);
      if (place >= 0) clearTimeout(this.#idle.splice(place, 1)[0]!.timer);
    });
    // An idle thread need not keep the process; work is awaited by a call that does.
    worker.unref();
    worker.on('error', () => undefined);
    return { worker, isReady: false };
  }

  #putBack(worker: Worker): void {
    const timer = setTimeout(() => void worker.terminate(), this.#options.idleMs);
    timer.unref();
    this.#idle.push({ worker, timer });
  }

  #ask({ worker, isReady }: { worker: Worker; isReady: boolean }, message: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const begin = () => {
        timer = setTimeout(() => end(new ThreadPoolLimit('TIME')), this.#options.timeLimitMs);
        worker.postMessage(message);
      };
      const onError = (error: NodeJS.ErrnoException) =>
        end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadPoolLimit('MEMORY') : error);
      const onExit = () => end(new Error('The thread ended'));
      const onMessage = (answer: ThreadAnswer | 'ready') => {
        if (answer === 'ready') return begin();
        forget();
        this.#putBack(worker);
        if ('error' in answer) reject(new Error(answer.error));
        else resolve(answer.result);
      };
      const forget = () => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      const end = (error: Error) => {
        forget();
        void worker.terminate();
        reject(error);
      };
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      if (isReady) begin();
    });
  }
}
