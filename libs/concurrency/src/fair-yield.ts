import { setImmediate } from 'node:timers/promises';
import { Semaphore } from './semaphore.js';

/** Bytes of a body from which each step of work on it yields; on a smaller one, a step takes less than a millisecond. */
export const largeBodyBytes = 16 * 1024;

/**
 * Spreads long synchronous work over turns of the event loop: one piece a turn, keys in turn. What else is ready, such as
 * small calls and answers of a database, is served between two pieces.
 */
export class FairYield {
  readonly #semaphore = new Semaphore({ limit: 1 });

  /**
   * Awaits a turn. The caller does one piece of its work right after it.
   * @param key who asks, usually an organization's id
   */
  async next(key: string): Promise<void> {
    await this.#semaphore.run({ key }, () => setImmediate());
  }
}
