/** How many are delivered at a time. */
const batchMax = 64;
/** Between a delivery that failed and the next try. */
const pauseMs = 500;

export interface RetryBufferOptions<T> {
  deliver(item: T): Promise<void>;
  /** Kept at most; what comes while it is full is lost, and reported. */
  sizeMax: number;
  onLost(item: T): void;
  onFailure(error: unknown): void;
}

/** Things to hand over after the answer was sent: kept in memory and tried again until they are taken. */
export class RetryBuffer<T> {
  #items: T[] = [];
  #running: Promise<void> | null = null;
  #stopAt = Number.POSITIVE_INFINITY;
  #wake: (() => void) | null = null;

  constructor(private readonly options: RetryBufferOptions<T>) {}

  /** How many wait. */
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

  /** Tries to hand over everything for at most so long. @returns how many are lost */
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
      // At the end, so that what one cell does not take keeps nothing of the others.
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
