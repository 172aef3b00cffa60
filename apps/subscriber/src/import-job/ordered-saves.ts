import type { PreparedBatch, RecordBatch } from './job-batch.js';
import type { FilePlace } from './record-reader.js';

export interface ReadyBatch extends RecordBatch {
  from: FilePlace;
  prepared: PreparedBatch;
}

/** Batches that are saved at a time: while one is written, the effects of the next are decided. */
const savesMax = 2;

interface Save {
  from: FilePlace;
  keys: ReadonlyMap<string, unknown>;
  done: Promise<void>;
}

/** Saves batches that overlap in time and end in order, except that batches with a common address do not overlap. */
export class OrderedSaves {
  #open: Save[] = [];

  /** @param save writes a batch; its transaction ends after that of the batch before, if there is one */
  constructor(private readonly save: (batch: ReadyBatch, before: FilePlace | null) => Promise<void>) {}

  /**
   * Begins to save the next batch; returns once there is room for another.
   * @param isAlone whether nothing else may be saved meanwhile
   * @throws the error of an earlier batch
   */
  async add(batch: ReadyBatch, isAlone: boolean): Promise<void> {
    const keys = batch.prepared.recordsOf;
    const isShared = () => this.#open.some((save) => [...keys.keys()].some((key) => save.keys.has(key)));
    while (this.#open.length >= savesMax || (this.#open.length > 0 && (isAlone || isShared()))) await this.#endFirst();
    const done = this.save(batch, this.#open.at(-1)?.from ?? null);
    // Its error is thrown when its turn to end has come.
    done.catch(() => undefined);
    this.#open.push({ from: batch.from, keys, done });
    if (isAlone) await this.#endFirst();
  }

  /** Waits for all batches. @throws the error of the first that failed */
  async settle(): Promise<void> {
    const open = this.#open;
    this.#open = [];
    await Promise.allSettled(open.map(({ done }) => done));
    for (const { done } of open) await done;
  }

  async #endFirst(): Promise<void> {
    await this.#open[0]!.done;
    this.#open.shift();
  }
}
