import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';

/**
 * Lets few work at a time; the others wait their turn. Counting a large segment may take seconds, and however many ask
 * for that, sends, links and imports must find a free connection.
 */
export class Turnstile {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** @throws ToolError DEADLINE_EXCEEDED when the turn comes after the caller's patience has ended */
  async pass<T>({ deadline }: Pick<Caller, 'deadline'>, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      if (Date.now() > deadline) throw new ToolError('DEADLINE_EXCEEDED', { tool: 'The count' });
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
