/** Tokens are gathered for at most so long, so that a pause is not followed by a burst. */
const gatheredSeconds = 1;

/**
 * Admits a number of messages a second, evenly and not in bursts: unused tokens are not saved. An urgent message may be
 * a few tokens ahead, and the others wait for as long.
 */
export class TokenBucket {
  #tokens: number;
  #filledAt: number;

  constructor(
    private readonly perSecond: number | null,
    nowMs: number,
  ) {
    this.#tokens = 1;
    this.#filledAt = nowMs;
  }

  /** Milliseconds until a message may go, 0 for now. @param ahead how many tokens it may be ahead */
  wait(nowMs: number, ahead = 0): number {
    if (this.perSecond === null) return 0;
    this.#fill(nowMs, this.perSecond);
    const missing = 1 - ahead - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing * 1000) / this.perSecond);
  }

  take(): void {
    this.#tokens -= 1;
  }

  giveBack(): void {
    this.#tokens += 1;
  }

  #fill(nowMs: number, perSecond: number): void {
    const gained = (Math.max(0, nowMs - this.#filledAt) / 1000) * perSecond;
    this.#filledAt = nowMs;
    this.#tokens = Math.min(Math.max(1, perSecond * gatheredSeconds), this.#tokens + gained);
  }
}
