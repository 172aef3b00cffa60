import { IdleBackoff } from './idle-backoff.js';
import type { BackoffOptions } from './idle-backoff.js';
import { WakeSignal } from './wake-signal.js';

export interface PollingWorkerOptions extends BackoffOptions {
  /** Finds and does work. @returns how much; after more than 0, the worker polls again at once */
  poll: () => Promise<number>;
  /** Calls back after each commit of this process, which may have left work; default: never. */
  contexts?: { onCommit: (callback: () => void) => void };
  onError: (error: unknown) => void;
}

export class PollingWorker {
  readonly #signal = new WakeSignal();
  readonly #backoff: IdleBackoff;
  #isWoken = false;
  #isStopping = false;
  #polledAt = performance.now();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: PollingWorkerOptions) {
    this.#backoff = new IdleBackoff(options.contexts ?? { onCommit: () => undefined }, options, () =>
      this.#signal.notify(),
    );
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Seconds since the last poll; they grow while a poll hangs. */
  get secondsSincePoll(): number {
    return (performance.now() - this.#polledAt) / 1000;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the current wait, or skips the next one. */
  wake(): void {
    this.#isWoken = true;
    this.#signal.notify();
  }

  /** Ends the current wait, and resolves at the end of the current poll. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#signal.notify();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      try {
        // A commit ends the wait too, to shorten it.
        if (this.#isWoken || this.#backoff.remainingMs === 0) {
          this.#isWoken = false;
          if ((await this.#backoff.poll(this.options.poll)) > 0) this.#isWoken = true;
        }
      } catch (error) {
        this.options.onError(error);
      }
      this.#polledAt = performance.now();
      if (!this.#isWoken) await this.#signal.wait(this.#backoff.remainingMs);
    }
  }
}
