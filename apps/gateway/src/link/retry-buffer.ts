/** Number of items delivered at a time. */
const batchMax = 64;
/** Milliseconds between a failed delivery and the next try. */
const pauseMs = 500;

export interface RetryBufferOptions<T> {
  deliver(item: T): Promise<void>;
  /** Most items kept; those that arrive while it is full are lost and reported. */
  sizeMax: number;
  onLost(item: T): void;
  onFailure(error: unknown): void;
}

/** Keeps items in memory and retries their delivery until they are accepted. */
export class RetryBuffer<T> {
  #items: T[] = [];
  #running: Promise<void> | null = null;
  #stopAt = Number.POSITIVE_INFINITY;
  #wake: (() => void) | null = null;

  constructor(private readonly options: RetryBufferOptions<T>) {}

  /** Number of waiting items. */
  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    if (this.#items.length >= this.options.sizeMax) {
      this.options.onLost(item);
      return;
    }
    this.#items.push(item);
    this.#running ??= this.#run();
  }

  /** Tries to deliver all items for at most `withinMs`. @returns number of items lost */
  async stop(withinMs: number): Promise<number> {
    this.#stopAt = Date.now() + withinMs;
    this.#wake?.();
    await this.#running;
    return this.#items.length;
  }

  async #run(): Promise<void> {
    while (this.#items.length > 0 && Date.now() < this.#stopAt) {
      const batch = this.#items.slice(0, batchMax);
      const results = await Promise.allSettled(batch.map((item) => this.options.deliver(item)));
      const failed = batch.filter((_item, i) => results[i]!.status === 'rejected');
      // At the end, so that items for an unavailable cell do not delay those for others.
      this.#items = [...this.#items.slice(batch.length), ...failed];
      if (failed.length === 0) continue;
      this.options.onFailure(results.find((result) => result.status === 'rejected')!.reason);
      await this.#pause();
    }
    this.#running = null;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(pauseMs, Math.max(0, this.#stopAt - Date.now())));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
