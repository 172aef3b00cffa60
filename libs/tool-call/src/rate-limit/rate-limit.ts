/** Calls a minute by plan (API text, Limits). */
export const requestsPerMinute = { FREE: 100, PREMIUM: 700, ENTERPRISE: 2000 } as const;

/** Retry-After is never more than this many seconds; the true instant goes into `retryAt`. */
export const retryAfterMaxSeconds = 600;

/** What one take of permits answered. `resetAt`: unix seconds at which the oldest counted call leaves the window. */
export interface PermitGrant {
  limit: number;
  granted: boolean;
  remaining: number;
  resetAt: number;
}

/** The rate headers of a response; every response to an identified organization carries them. */
export function rateLimitHeaders({ limit, remaining, resetAt }: PermitGrant): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  };
}
