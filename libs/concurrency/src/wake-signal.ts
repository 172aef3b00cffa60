/** Wakes one waiting loop; a notification while the loop is busy is kept for its next wait. */
export class WakeSignal {
  #notified = false;
  #wake: (() => void) | null = null;

  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }

  /** Resolves at once if notified since the last call, else at the next notification or after `ms`. */
  async wait(ms?: number): Promise<void> {
    if (!this.#notified) {
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#notified = false;
  }
}
