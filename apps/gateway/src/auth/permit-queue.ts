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
}

const takesMax = 1000;

interface Waiting {
  limit: number;
  calls: { resolve(grant: PermitGrant): void; reject(error: unknown): void }[];
}

/**
 * Has one request in flight at a time, which carries all takes since the last one, so the limiter's work grows with
 * time and not with calls.
 */
export class PermitQueue {
  #waiting = new Map<string, Waiting>();
  #asking = false;

  constructor(private readonly ask: (takes: PermitTake[]) => Promise<PermitResult[]>) {}

  /** @returns whether the call is within the limit, and the organization's rate figures; throws if no reply comes */
  take(organizationId: string, limit: number): Promise<PermitGrant> {
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
        const answers = await this.ask(
          batch.map(([organizationId, { limit, calls }]) => ({ organizationId, limit, count: calls.length })),
        );
        batch.forEach(([, waiting], i) => settle(waiting, answers[i]!));
      } catch (error) {
        for (const [, { calls }] of batch) for (const { reject } of calls) reject(error);
      }
    }
    this.#asking = false;
  }
}

/** Grants permits in order of arrival; each call sees the number remaining after it. */
function settle({ limit, calls }: Waiting, { granted, remaining, ...reset }: PermitResult): void {
  // Callers compare it with their own clocks, which are nearer to the gateway's than to the database's.
  const resetAt = reset.resetInMs === undefined ? reset.resetAt : Math.ceil((Date.now() + reset.resetInMs) / 1000);
  calls.forEach(({ resolve }, i) => {
    const isGranted = i < granted;
    resolve({ limit, granted: isGranted, remaining: isGranted ? remaining + granted - 1 - i : 0, resetAt });
  });
}
