import { setImmediate } from 'node:timers/promises';
import { Semaphore } from './semaphore.js';

/** Bytes of a body from which each step of work on it yields; on a smaller one, a step takes less than a millisecond. */
export const largeBodyBytes = 16 * 1024;

/**
 * Spreads long synchronous work over turns of the event loop, one piece a turn, keys in turn, so that small calls are
 * served between two pieces.
 */
export class FairYield {
  readonly #semaphore = new Semaphore({ limit: 1 });

  /**
   * Awaits a turn, after which the caller does one piece of its work.
   * @param key who asks, usually an organization's id
   */
  async next(key: string): Promise<void> {
    await this.#semaphore.run({ key }, () => setImmediate());
  }
}
