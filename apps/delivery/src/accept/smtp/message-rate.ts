const minuteMs = 60_000;

export class MessageRate {
  #minute = 0;
  readonly #counts = new Map<string, number>();

  /**
   * Counts one message a minute and organization, in this process. @returns false when the minute's limit is reached
   */
  take(organizationId: string, limit: number, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.clear();
    }
    const count = this.#counts.get(organizationId) ?? 0;
    if (count >= limit) return false;
    this.#counts.set(organizationId, count + 1);
    return true;
  }
}
