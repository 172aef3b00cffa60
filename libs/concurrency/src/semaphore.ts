export interface SemaphoreOptions {
  /** Units that all keys hold together. */
  limit: number;
  /** Units that one key holds at a time; default: `limit`. */
  limitPerKey?: number;
  /** The clock that `deadline` refers to, in milliseconds; default: the system's. */
  now?: () => number;
}

export interface SemaphoreRequest {
  /** Whose work it is, usually an organization's id; default: all work has one key. */
  key?: string;
  /** Units that the work holds, default 1; more than a limit counts as the limit, so that such work runs alone. */
  weight?: number;
  /** Work that has not begun by then is refused; milliseconds of the semaphore's clock. */
  deadline?: number;
}

export class SemaphoreTimeout extends Error {
  override readonly name = 'SemaphoreTimeout';
}

interface Waiting {
  weight: number;
  deadline: number;
  begin: () => void;
  refuse: (error: Error) => void;
}

/**
 * Semaphore bounds concurrent work, fairly over keys: waiting keys alternate, and work of one key keeps its order. A
 * key at its own limit is skipped. Work that waits for the common limit is not overtaken, regardless of its weight.
 */
export class Semaphore {
  readonly #limit: number;
  readonly #limitPerKey: number;
  readonly #now: () => number;
  /** By key, in the order of turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #held = new Map<string, number>();
  #heldInAll = 0;

  constructor({ limit, limitPerKey = limit, now = Date.now }: SemaphoreOptions) {
    this.#limit = limit;
    this.#limitPerKey = Math.min(limit, limitPerKey);
    this.#now = now;
  }

  get state(): { held: number; waiting: number } {
    return { held: this.#heldInAll, waiting: [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0) };
  }

  /** @throws SemaphoreTimeout when the deadline passes first; any error of `work` */
  async run<T>(request: SemaphoreRequest, work: () => T | Promise<T>): Promise<T> {
    const { key = '', weight: asked = 1, deadline = Infinity } = request;
    const weight = Math.min(asked, this.#limitPerKey);
    await new Promise<void>((begin, refuse) => {
      const queue = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, queue);
      queue.push({ weight, deadline, begin, refuse });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      this.#hold(key, -weight);
      this.#admit();
    }
  }

  #admit(): void {
    for (const [key, queue] of [...this.#waiting]) {
      for (;;) {
        const next = queue[0]!;
        const late = this.#now() > next.deadline;
        if (!late && (this.#held.get(key) ?? 0) + next.weight > this.#limitPerKey) break;
        if (!late && this.#heldInAll + next.weight > this.#limit) return;
        queue.shift();
        this.#waiting.delete(key);
        if (queue.length > 0) this.#waiting.set(key, queue);
        if (!late) {
          this.#hold(key, next.weight);
          next.begin();
          break;
        }
        next.refuse(new SemaphoreTimeout('The work did not begin before its deadline'));
        if (queue.length === 0) break;
      }
    }
  }

  #hold(key: string, weight: number): void {
    const held = (this.#held.get(key) ?? 0) + weight;
    if (held === 0) this.#held.delete(key);
    else this.#held.set(key, held);
    this.#heldInAll += weight;
  }
}
