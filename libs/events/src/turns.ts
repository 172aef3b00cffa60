/** Lets so many pieces of work go on at a time, the others in the order they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** @returns what the work returns, or throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
