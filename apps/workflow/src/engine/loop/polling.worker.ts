import { IdleBackoff, WakeSignal } from '#concurrency';
import type { BackoffOptions } from '#concurrency';
import type { Logger } from '#observability';
import type { CallContexts, Worker } from '#service-host';
import type { WorkItem } from './work-item.js';

export interface PollingWorkerOptions {
  name: string;
  /** Claims work items, so that no other process works on them meanwhile. */
  claim: () => Promise<WorkItem[]>;
  /** Work items run at a time, not counting detached ones. */
  concurrency: number;
  contexts: Pick<CallContexts, 'onCommit'>;
  /** Waits between polls while there is no work. */
  pace: BackoffOptions;
  log: Logger;
}

/**
 * Claims and runs work items until it is stopped, up to `concurrency` at a time. It claims again as soon as a slot is
 * free, so that one slow item does not delay the next claim.
 */
export class PollingWorker implements Worker {
  #stopping = false;
  #rung = false;
  readonly #signal = new WakeSignal();
  readonly #backoff: IdleBackoff;
  #running: Promise<void> = Promise.resolve();
  readonly #inLanes = new Set<Promise<void>>();
  readonly #detached = new Set<Promise<void>>();
  #beatAt = performance.now();

  constructor(private readonly options: PollingWorkerOptions) {
    this.#backoff = new IdleBackoff(options.contexts, options.pace, () => this.#signal.notify());
  }

  /** Seconds since the last poll; they grow while all slots hang. */
  get secondsSinceProgress(): number {
    return (performance.now() - this.#beatAt) / 1000;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the current wait early, or skips the next one. */
  wake(): void {
    this.#rung = true;
    this.#signal.notify();
  }

  /** Stops claiming and waits until all running work items end. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
    while (this.#inLanes.size + this.#detached.size > 0) await Promise.all([...this.#inLanes, ...this.#detached]);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      let begun = 0;
      try {
        begun = await this.#look();
      } catch (error) {
        this.#warn(error);
      }
      this.#beatAt = performance.now();
      if (begun > 0) this.#rung = true;
      else await this.#signal.wait(this.#backoff.remainingMs);
    }
  }

  /** @returns the number of work items begun */
  async #look(): Promise<number> {
    if (!this.#rung && this.#backoff.remainingMs > 0) return 0;
    this.#rung = false;
    return await this.#backoff.poll(async () => {
      const batches = await this.options.claim();
      for (const batch of batches) await this.#begin(batch);
      return batches.length;
    });
  }

  async #begin(batch: WorkItem): Promise<void> {
    this.#follow(this.#inLanes, batch);
    while (this.#inLanes.size >= this.options.concurrency) await Promise.race(this.#inLanes);
  }

  #follow(where: Set<Promise<void>>, batch: WorkItem): void {
    const working = batch
      .work()
      .then((left) => left.forEach((one) => this.#follow(this.#detached, one)))
      .catch((error: unknown) => this.#warn(error))
      .finally(() => {
        where.delete(working);
        // Ended work may have left more to do at once.
        this.wake();
      });
    where.add(working);
  }

  #warn(error: unknown): void {
    this.options.log.warn({ err: error, loop: this.options.name }, 'work of the engine failed; it is tried again');
  }
}
