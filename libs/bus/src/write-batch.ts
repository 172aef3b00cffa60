/**
 * Messages that are published together, once in each iteration of the event loop. The NATS client writes to its socket
 * after each callback, so each call would cost a write here and a read at the server.
 */
export class WriteBatch {
  #waiting: (() => void)[] = [];

  /** @returns when `publish` was called; rejects with what it throws */
  add(publish: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const size = this.#waiting.push(() => {
        try {
          resolve(publish());
        } catch (error) {
          reject(error);
        }
      });
      if (size === 1) setImmediate(() => this.#publishAll());
    });
  }

  #publishAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const publish of waiting) publish();
  }
}
