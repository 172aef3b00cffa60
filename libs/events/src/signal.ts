/** Lets one loop sleep until somebody has news for it; news that comes while it is awake is not lost. */
export class Signal {
  #news = false;
  #wake: (() => void) | null = null;

  notify(): void {
    this.#news = true;
    this.#wake?.();
  }

  /** Resolves at once when there was news since the last call, else with the next, or after `ms`. */
  async wait(ms?: number): Promise<void> {
    if (!this.#news) {
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#news = false;
  }
}
