/** A round trip this slow says too little about the other clock. */
const roundTripMaxMs = 1_000;
/** A measurement counts for this long, so that a clock that was set is noticed. */
const validMs = 60_000;

interface Measurement {
  skewMs: number;
  roundTripMs: number;
  takenMs: number;
}

/**
 * How far the clocks of other services are from the one here, by the instants in their replies (RFC 5905 section 8, with
 * one server timestamp). The fastest round trip of the last minute counts; its error is at most half of it.
 */
export class ClockSkews {
  readonly #measured = new Map<string, Measurement>();

  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  /**
   * @param times `sentMs` and `receivedMs` on the wall clock here, `repliedMs` on the service's
   */
  note(service: string, times: { sentMs: number; repliedMs: number; receivedMs: number }): void {
    const roundTripMs = times.receivedMs - times.sentMs;
    if (roundTripMs < 0 || roundTripMs > roundTripMaxMs || !Number.isFinite(times.repliedMs)) return;
    const takenMs = this.monotonicMs();
    const known = this.#current(service, takenMs);
    if (known && known.roundTripMs < roundTripMs) return;
    const measuredMs = times.repliedMs - (times.sentMs + roundTripMs / 2);
    // Within the error of the measurement the clocks are equal.
    const skewMs = Math.abs(measuredMs) > roundTripMs / 2 ? measuredMs : 0;
    this.#measured.set(service, { skewMs, roundTripMs, takenMs });
  }

  list(): { service: string; skewMs: number }[] {
    const nowMs = this.monotonicMs();
    return [...this.#measured.keys()].flatMap((service) => {
      const known = this.#current(service, nowMs);
      return known ? [{ service, skewMs: known.skewMs }] : [];
    });
  }

  /** Milliseconds by which a service's clock is ahead; 0 while unknown. */
  skewMs(service: string): number {
    return this.#current(service, this.monotonicMs())?.skewMs ?? 0;
  }

  #current(service: string, nowMs: number): Measurement | null {
    const known = this.#measured.get(service);
    return known && nowMs - known.takenMs < validMs ? known : null;
  }
}
