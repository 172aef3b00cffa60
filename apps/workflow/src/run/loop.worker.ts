import type { Logger } from '#observability';
import type { Lull, Worker } from '#service-host';
import type { Batch } from './batch.js';

/** What could not be claimed is tried again after so long. */
const failedMs = 1_000;

export interface LoopOptions {
  name: string;
  /** Takes what there is to do, so that nobody else does it meanwhile. */
  claim: () => Promise<Batch[]>;
  /** So many batches are worked on at a time, beside what they leave to be done apart. */
  lanes: number;
  /** How long it rests when there was nothing. */
  idleMs: number;
  lull: Lull;
  log: Logger;
}

/**
 * Claims work and does it for as long as the process lives. It claims again while there is a lane left: what comes in is
 * not held up by a batch that takes long.
 */
export class Loop implements Worker {
  #stopping = false;
  #rung = false;
  #wake: (() => void) | null = null;
  #running: Promise<void> = Promise.resolve();
  readonly #inLanes = new Set<Promise<void>>();
  readonly #apart = new Set<Promise<void>>();
  #beatAt = performance.now();

  constructor(private readonly options: LoopOptions) {}

  /** Seconds since it last looked for work: grows when all lanes hang. */
  get silence(): number {
    return (performance.now() - this.#beatAt) / 1000;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends a rest early, or leaves out the next one. */
  wake(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Claims nothing more and lets everything under way finish. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
    while (this.#inLanes.size + this.#apart.size > 0) await Promise.all([...this.#inLanes, ...this.#apart]);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      let rest = this.options.idleMs;
      try {
        if ((await this.#look()) > 0) rest = 0;
      } catch (error) {
        this.#warn(error);
        rest = failedMs;
      }
      this.#beatAt = performance.now();
      if (rest > 0) await this.#rest(rest);
    }
  }

  /** @returns how many batches were begun */
  async #look(): Promise<number> {
    const { lull, claim } = this.options;
    if (!this.#rung && !lull.over) return 0;
    this.#rung = false;
    return await lull.look(async () => {
      const batches = await claim();
      for (const batch of batches) await this.#begin(batch);
      return batches.length;
    });
  }

  async #begin(batch: Batch): Promise<void> {
    this.#follow(this.#inLanes, batch);
    while (this.#inLanes.size >= this.options.lanes) await Promise.race(this.#inLanes);
  }

  #follow(where: Set<Promise<void>>, batch: Batch): void {
    const working = batch
      .work()
      .then((left) => left.forEach((one) => this.#follow(this.#apart, one)))
      .catch((error: unknown) => this.#warn(error))
      .finally(() => {
        where.delete(working);
        // What was in hand may go on at once.
        this.wake();
      });
    where.add(working);
  }

  #warn(error: unknown): void {
    this.options.log.warn({ err: error, loop: this.options.name }, 'work of the engine failed; it is tried again');
  }

  async #rest(ms: number): Promise<void> {
    if (this.#rung || this.#stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }
}
