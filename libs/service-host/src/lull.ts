import type { CallContexts } from './call-context.js';

/**
 * Spares looks for work where there is hardly ever any: after one that found nothing, the next is worth while once this
 * process has committed something, and after a while in any case, since others commit too.
 */
export class Lull {
  #commits = -1;
  #endsAt = 0;

  constructor(
    private readonly contexts: Pick<CallContexts, 'commits'>,
    private readonly longestMs: number,
  ) {}

  /** Whether to look again. */
  get over(): boolean {
    return this.contexts.commits !== this.#commits || performance.now() >= this.#endsAt;
  }

  /** Looks for work; a lull begins when there was none. @returns what `work` did: how much */
  async look(work: () => Promise<number>): Promise<number> {
    const { commits } = this.contexts;
    const done = await work();
    // What is committed during the look may not have been seen by it.
    this.#commits = done > 0 ? -1 : commits;
    this.#endsAt = performance.now() + this.longestMs;
    return done;
  }
}
