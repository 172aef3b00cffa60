/** Milliseconds between a failed delivery and the next try. */
const pauseMs = 500;

export interface BatchBufferOptions<T> {
  /** Delivers items. @returns one promise for each; items whose promise rejects are tried again after the others */
  deliver(items: readonly T[]): readonly Promise<unknown>[];
  batchMax: number;
  /** Most items kept; those that arrive while it is full are lost and reported. */
  sizeMax: number;
  /** Milliseconds that the first item waits for others of its batch; default: it is delivered at once. */
  gatherMs?: number;
  onLost(item: T): void;
  /** @param size number of items kept, including the failed ones */
  onFailure(error: unknown, size: number): void;
}

/** Keeps items in memory and retries their delivery until they are accepted. */
export class BatchBuffer<T> {
  #items: T[] = [];
  #running: Promise<void> | null = null;
  #stopAt = Number.POSITIVE_INFINITY;
  #wake: (() => void) | null = null;

  constructor(private readonly options: BatchBufferOptions<T>) {}

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    if (this.#items.length >= this.options.sizeMax) return this.options.onLost(item);
    this.#items.push(item);
    this.#running ??= this.#run();
  }

  /** Tries to deliver all items for at most `withinMs`. @returns number of items lost */
  async stop(withinMs: number): Promise<number> {
    this.#stopAt = performance.now() + withinMs;
    this.#wake?.();
    await this.#running;
    return this.#items.length;
  }

  async #run(): Promise<void> {
    const { batchMax, gatherMs, deliver, onFailure } = this.options;
    if (gatherMs !== undefined) await this.#pause(gatherMs);
    while (this.#items.length > 0 && performance.now() < this.#stopAt) {
      const batch = this.#items.slice(0, batchMax);
      const results = await Promise.allSettled(deliver(batch));
      const failed = batch.filter((_item, i) => results[i]!.status === 'rejected');
      // At the end, so that items for an unavailable service do not delay those for others.
      this.#items = [...this.#items.slice(batch.length), ...failed];
      if (failed.length === 0) continue;
      onFailure(results.find((result) => result.status === 'rejected')!.reason, this.size);
      await this.#pause(pauseMs);
    }
    this.#running = null;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, Math.max(0, this.#stopAt - performance.now())));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
