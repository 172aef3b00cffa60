import type { PermitGrant } from '#tool-call';

export interface PermitTake {
  organizationId: string;
  limit: number;
  count: number;
}

export interface PermitResult {
  organizationId: string;
  granted: number;
  remaining: number;
  resetAt: number;
  /** Milliseconds until `resetAt`; absent from a domain service of an older version. */
  resetInMs?: number | undefined;
  /** The second in which they count, and the milliseconds until its end; absent from an older version. */
  second?: number | undefined;
  secondEndsInMs?: number | undefined;
}

/** Permits of one second that were taken ahead, and not used. */
export interface PermitReturn {
  organizationId: string;
  second: number;
  count: number;
}

export interface Limiter {
  take(takes: PermitTake[]): Promise<PermitResult[]>;
  giveBack(returns: PermitReturn[]): Promise<unknown>;
}

const takesMax = 1000;
/** Of what is left of a limit, one gateway takes at most this share ahead. */
const aheadShare = 1 / 20;
/** Milliseconds after the end of a second for which its calls tell how many will come. */
const rememberMs = 2_000;
/** Calls at one moment are no rate: the shortest time, in milliseconds, over which they are counted. */
const countedMsMin = 100;

interface Waiting {
  limit: number;
  calls: { resolve(grant: PermitGrant): void; reject(error: unknown): void }[];
}

/** Permits that were taken ahead, usable in the second in which the limiter counted them. */
interface Ahead {
  limit: number;
  count: number;
  second: number;
  /** The figures of the limiter after the take. */
  remaining: number;
  resetAt: number;
  /** When they were asked for, and when their second ends, on the monotonic clock in milliseconds. */
  since: number;
  until: number;
  /** Calls since then. */
  calls: number;
  /** Calls a millisecond before. */
  last: number;
}

/** The rate since a take; one that has fallen within a moment counts half. */
const ratePerMs = ({ calls, since, last }: Ahead, nowMs: number): number =>
  Math.max(calls / Math.max(countedMsMin, nowMs - since), last / 2);

/**
 * Has one request in flight at a time, which carries all takes since the last one, so the limiter's work grows with
 * time and not with calls. A busy caller's permits for the rest of the second are taken ahead, and those not used are
 * given back: the limit holds exactly in every window, and another gateway may be refused a twentieth of it too early,
 * for less than a second.
 */
export class PermitQueue {
  #waiting = new Map<string, Waiting>();
  /** In the order of the takes. */
  readonly #ahead = new Map<string, Ahead>();
  #asking = false;

  constructor(
    private readonly limiter: Limiter,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** @returns whether the call is within the limit, and the organization's rate figures; throws if no reply comes */
  async take(organizationId: string, limit: number): Promise<PermitGrant> {
    return this.#takeAhead(organizationId, limit) ?? (await this.#takeNext(organizationId, limit));
  }

  #takeAhead(organizationId: string, limit: number): PermitGrant | null {
    const ahead = this.#ahead.get(organizationId);
    if (!ahead) return null;
    ahead.calls += 1;
    if (ahead.count === 0 || ahead.limit !== limit || this.nowMs() >= ahead.until) return null;
    ahead.count -= 1;
    return { limit, granted: true, remaining: ahead.remaining + ahead.count, resetAt: ahead.resetAt };
  }

  #takeNext(organizationId: string, limit: number): Promise<PermitGrant> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(organizationId) ?? { limit, calls: [] };
      waiting.limit = limit;
      waiting.calls.push({ resolve, reject });
      this.#waiting.set(organizationId, waiting);
      if (this.#asking) return;
      this.#asking = true;
      // Deferred, so that calls that arrive together share one request.
      setImmediate(() => void this.#askForAll());
    });
  }

  async #askForAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, takesMax);
      for (const [organizationId] of batch) this.#waiting.delete(organizationId);
      try {
        const askedAt = this.nowMs();
        const answers = await this.limiter.take(
          batch.map(([organizationId, { limit, calls }]) => ({
            organizationId,
            limit,
            count: calls.length + this.#expected(organizationId, limit),
          })),
        );
        batch.forEach(([organizationId, waiting], i) => this.#settle(organizationId, waiting, answers[i]!, askedAt));
      } catch (error) {
        for (const [, { calls }] of batch) for (const { reject } of calls) reject(error);
      }
    }
    this.#asking = false;
  }

  /** How many permits to take ahead: twice the calls that may come until the second ends, since the rest goes back. */
  #expected(organizationId: string, limit: number): number {
    const last = this.#ahead.get(organizationId);
    const now = this.nowMs();
    if (last?.limit !== limit || now > last.until + rememberMs) return 0;
    const leftMs = 1_000 - ((now - last.until + 1_000) % 1_000);
    return Math.min(Math.ceil(2 * leftMs * ratePerMs(last, now)), Math.floor(last.remaining * aheadShare));
  }

  /** Grants permits in order of arrival; each call sees the number remaining after it. */
  #settle(organizationId: string, { limit, calls }: Waiting, result: PermitResult, askedAt: number): void {
    const { granted, remaining, second, secondEndsInMs = 0, ...reset } = result;
    // Callers compare it with their own clocks, which are nearer to the gateway's than to the database's.
    const resetAt = reset.resetInMs === undefined ? reset.resetAt : Math.ceil((Date.now() + reset.resetInMs) / 1000);
    calls.forEach(({ resolve }, i) => {
      const isGranted = i < granted;
      resolve({ limit, granted: isGranted, remaining: isGranted ? remaining + granted - 1 - i : 0, resetAt });
    });
    const previous = this.#ahead.get(organizationId);
    this.#ahead.delete(organizationId);
    if (second === undefined) return;
    const count = Math.max(0, granted - calls.length);
    // Counted from the request, since the limiter read its clock after it.
    const until = askedAt + secondEndsInMs;
    const last = previous ? ratePerMs(previous, askedAt) : 0;
    const ahead = { limit, count, second, remaining, resetAt, since: askedAt, until, calls: calls.length, last };
    this.#forgetOld(askedAt);
    this.#ahead.set(organizationId, ahead);
    if (count > 0) setTimeout(() => this.#giveBack(organizationId, ahead), Math.max(0, until - this.nowMs())).unref();
  }

  #giveBack(organizationId: string, ahead: Ahead): void {
    const { count, second } = ahead;
    ahead.count = 0;
    // What is lost is counted as used until its second leaves the window.
    if (count > 0) this.limiter.giveBack([{ organizationId, second, count }]).catch(() => undefined);
  }

  #forgetOld(nowMs: number): void {
    for (const [organizationId, { until }] of this.#ahead) {
      if (until + rememberMs > nowMs) return;
      this.#ahead.delete(organizationId);
    }
  }
}
