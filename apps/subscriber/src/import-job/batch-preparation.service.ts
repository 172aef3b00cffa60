import { ThreadPool } from '#concurrency';
import { prepareBatch, readBatch } from './batch-preparation.js';
import type { PreparationRequest } from './batch-preparation.js';
import type { PreparedBatch } from './job-batch.js';

/** Rows up to which a batch is prepared in place: a few milliseconds, and a thread need not start for it. */
const inPlaceMax = 100;
/** A batch takes some 50 ms; one that takes this long is a defect. */
const timeLimitMs = 60_000;
const memoryLimitMb = 128;
/** What V8 takes by itself, 48 MiB, saves no time here. */
const youngMemoryMb = 12;

/** Prepares batches on a thread, so that the process can save the batch before and serve calls meanwhile. */
export class BatchPreparation {
  readonly #pool: ThreadPool;

  /** @param file the compiled thread, default this service's */
  constructor(file = './batch-preparation.worker.js') {
    const limits = { timeLimitMs, memoryLimitMb, youngMemoryMb };
    this.#pool = new ThreadPool({ file: new URL(file, import.meta.url), threads: 1, ...limits });
  }

  /** @throws ThreadPoolLimit, or Error of a thread that ended */
  async run(organizationId: string, request: PreparationRequest): Promise<PreparedBatch> {
    if (request.records.length <= inPlaceMax) return prepareBatch(request);
    const text = await this.#pool.run({ key: organizationId }, request);
    return readBatch(request.records, text as string);
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }
}
