import type { Logger } from '#observability';
import type { Worker } from '#service-host';

/** A failed step is tried again after so long. */
const failedMs = 1_000;

export interface LoopOptions {
  name: string;
  /** Does what there is to do. @returns how much that was */
  step: () => Promise<number>;
  /** How long it rests when there was nothing. */
  idleMs: number;
  log: Logger;
}

/** Repeats a step for as long as the process lives; never two at a time. */
export class Loop implements Worker {
  #stopping = false;
  #wake: (() => void) | null = null;
  #running: Promise<void> = Promise.resolve();
  #beatAt = performance.now();

  constructor(private readonly options: LoopOptions) {}

  /** Seconds since a step was finished: grows when the loop hangs. */
  get silence(): number {
    return (performance.now() - this.#beatAt) / 1000;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends a rest early. */
  wake(): void {
    this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      let rest = this.options.idleMs;
      try {
        if ((await this.options.step()) > 0) rest = 0;
        this.#beatAt = performance.now();
      } catch (error) {
        this.options.log.warn(
          { err: error, loop: this.options.name },
          'a step of the engine failed; it is tried again',
        );
        rest = failedMs;
      }
      if (rest > 0 && !this.#stopping) await this.#rest(rest);
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
