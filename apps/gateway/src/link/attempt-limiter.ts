/** Counts attempts by key in fixed windows; the oldest keys are dropped when there are too many. */
export class AttemptLimiter {
  readonly #counts = new Map<string, { count: number; until: number }>();

  constructor(
    private readonly plan: { attemptsMax: number; windowMs: number; keysMax: number },
    private readonly now: () => number = Date.now,
  ) {}

  /** Counts one attempt. @returns whether it is within the limit of its key's window */
  allows(key: string): boolean {
    const now = this.now();
    const known = this.#counts.get(key);
    if (known && known.until > now) return ++known.count <= this.plan.attemptsMax;
    this.#counts.delete(key);
    if (this.#counts.size >= this.plan.keysMax) this.#counts.delete(this.#counts.keys().next().value!);
    this.#counts.set(key, { count: 1, until: now + this.plan.windowMs });
    return true;
  }
}
