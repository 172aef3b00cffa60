/** Milliseconds to wait before the next poll: after one that found work, and after one that found none. */
export interface BackoffOptions {
  minMs: number;
  maxMs: number;
}

/**
 * Lengthens the interval between polls that find nothing. A commit of this process shortens it again; `maxMs` bounds it,
 * since other processes commit too.
 */
export class IdleBackoff {
  #hasNews = true;
  #polledAt = Number.NEGATIVE_INFINITY;

  /**
   * @param commits calls back after each commit of this process
   * @param wake called when the wait has become shorter; the caller then reads `remainingMs` again
   */
  constructor(
    commits: { onCommit: (callback: () => void) => void },
    private readonly options: BackoffOptions,
    private readonly wake: () => void,
  ) {
    commits.onCommit(() => this.reset());
  }

  reset(): void {
    if (this.#hasNews) return;
    this.#hasNews = true;
    this.wake();
  }

  /** Milliseconds until the next poll, 0 for now. */
  get remainingMs(): number {
    const { minMs, maxMs } = this.options;
    return Math.max(0, this.#polledAt + (this.#hasNews ? minMs : maxMs) - performance.now());
  }

  /** Polls: the wait is `maxMs` if `work` did nothing, and `minMs` if it did something or failed. @returns what `work` did: how much */
  async poll(work: () => Promise<number>): Promise<number> {
    // A commit during the poll may be missed by its query.
    this.#hasNews = false;
    let done = 1;
    try {
      done = await work();
      return done;
    } finally {
      if (done > 0) this.#hasNews = true;
      this.#polledAt = performance.now();
    }
  }
}
