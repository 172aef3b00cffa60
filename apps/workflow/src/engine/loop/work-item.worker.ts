import { PollingWorker } from '#concurrency';
import type { BackoffOptions } from '#concurrency';
import type { Logger } from '#observability';
import type { CallContexts, Worker } from '#service-host';
import type { WorkItem } from './work-item.js';

export interface WorkItemWorkerOptions {
  name: string;
  /** Claims work items, so that no other process works on them meanwhile. */
  claim: () => Promise<WorkItem[]>;
  /** Work items run at a time, not counting detached ones. */
  concurrency: number;
  contexts: Pick<CallContexts, 'onCommit'>;
  pace: BackoffOptions;
  log: Logger;
}

/**
 * Claims and runs work items until it is stopped. It claims again as soon as a slot is free, so that one slow item does
 * not delay the next claim.
 */
export class WorkItemWorker implements Worker {
  readonly #polling: PollingWorker;
  readonly #inSlots = new Set<Promise<void>>();
  readonly #detached = new Set<Promise<void>>();

  constructor(private readonly options: WorkItemWorkerOptions) {
    const { contexts, pace } = options;
    this.#polling = new PollingWorker({
      ...pace,
      contexts,
      poll: () => this.#begin(),
      onError: (error) => this.#warn(error),
    });
  }

  /** Seconds since the last poll; they grow while all slots hang. */
  get secondsSinceProgress(): number {
    return this.#polling.secondsSincePoll;
  }

  start(): void {
    this.#polling.start();
  }

  /** Ends the current wait early, or skips the next one. */
  wake(): void {
    this.#polling.wake();
  }

  /** Stops claiming and waits until all running work items end. */
  async stop(): Promise<void> {
    await this.#polling.stop();
    while (this.#inSlots.size + this.#detached.size > 0) await Promise.all([...this.#inSlots, ...this.#detached]);
  }

  async #begin(): Promise<number> {
    const items = await this.options.claim();
    for (const item of items) {
      this.#follow(this.#inSlots, item);
      while (this.#inSlots.size >= this.options.concurrency) await Promise.race(this.#inSlots);
    }
    return items.length;
  }

  #follow(where: Set<Promise<void>>, item: WorkItem): void {
    const working = item
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
