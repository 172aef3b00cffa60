/** How long a relay that lets no more in is not asked for one more. */
const probeIntervalMs = 15_000;
/** How long one that let one more in is not: it may turn that away at its first message. */
const growEveryMs = 1_000;

/**
 * How many connections a relay lets us hold at one time, as far as it has shown; SMTP has no way to tell in advance. Past
 * that it refuses connections while it goes on working on the others, and asking it again at once would look like an attack.
 */
export class ConnectionLimit {
  #allowed: number;
  #askAt = 0;

  /** @param most as many as are ever wanted */
  constructor(private readonly most: number) {
    this.#allowed = most;
  }

  /** How many may be held or opened now: those it allows, and now and then one more, to see. */
  at(nowMs: number): number {
    return Math.min(this.most, nowMs < this.#askAt ? this.#allowed : this.#allowed + 1);
  }

  /** A connection was opened. @param held how many there are with it */
  opened(held: number, nowMs: number): void {
    if (held <= this.#allowed) return;
    this.#allowed = held;
    this.#askAt = nowMs + growEveryMs;
  }

  /** One more was refused. @param held how many there are, at least one @returns whether that is fewer than was known */
  refused(held: number, nowMs: number): boolean {
    const isNews = held < this.#allowed;
    this.#allowed = held;
    this.#askAt = nowMs + probeIntervalMs;
    return isNews;
  }
}
