/** Milliseconds before one more connection is requested of a relay that refused one. */
const probeIntervalMs = 15_000;
/** Milliseconds before that after it allowed one more, since it may close that one at its first message. */
const growEveryMs = 1_000;

/**
 * Estimates how many connections a relay allows at one time, which SMTP cannot announce. Beyond the limit a relay
 * refuses connections while it goes on working on the others; requesting another at once would look like an attack.
 */
export class ConnectionLimit {
  #allowed: number;
  #askAt = 0;

  constructor(private readonly most: number) {
    this.#allowed = most;
  }

  /** How many may be held or opened now: the allowed number, and at intervals one more as a probe. */
  at(nowMs: number): number {
    return Math.min(this.most, nowMs < this.#askAt ? this.#allowed : this.#allowed + 1);
  }

  /** A connection was opened. @param held how many there are with it */
  opened(held: number, nowMs: number): void {
    if (held <= this.#allowed) return;
    this.#allowed = held;
    this.#askAt = nowMs + growEveryMs;
  }

  /**
   * One more was refused. @param held how many there are, at least one @returns whether that is fewer than estimated
   */
  refused(held: number, nowMs: number): boolean {
    const isNews = held < this.#allowed;
    this.#allowed = held;
    this.#askAt = nowMs + probeIntervalMs;
    return isNews;
  }
}
