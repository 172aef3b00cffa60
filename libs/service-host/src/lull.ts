import type { CallContexts } from './call-context.js';

/** How long to leave looks for work out: after news, and when there is none. */
export interface Pace {
  soonMs: number;
  longestMs: number;
}

/**
 * Spares looks for work where there is hardly ever any: after one that found nothing, the next is worth while once this
 * process has committed something, and after a while in any case, since others commit too.
 */
export class Lull {
  #hasNews = true;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param wake called when the lull has become shorter; whoever rests asks anew what is `left` */
  constructor(
    contexts: Pick<CallContexts, 'onCommit'>,
    private readonly pace: Pace,
    private readonly wake: () => void,
  ) {
    contexts.onCommit(() => this.end());
  }

  /** Says that there may be work. */
  end(): void {
    if (this.#hasNews) return;
    this.#hasNews = true;
    this.wake();
  }

  /** Milliseconds until it is time to look again, 0 for now. */
  get left(): number {
    const { soonMs, longestMs } = this.pace;
    return Math.max(0, this.#lookedAt + (this.#hasNews ? soonMs : longestMs) - performance.now());
  }

  /** Looks for work; the lull is long when there was none, and short when looking failed. @returns what `work` did: how much */
  async look(work: () => Promise<number>): Promise<number> {
    // What is committed during the look may not have been seen by it.
    this.#hasNews = false;
    let done = 1;
    try {
      done = await work();
      return done;
    } finally {
      if (done > 0) this.#hasNews = true;
      this.#lookedAt = performance.now();
    }
  }
}
