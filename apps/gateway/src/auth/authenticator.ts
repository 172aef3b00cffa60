import type { TokenFacts } from '#contracts';
import { failureOf, hashApiToken, ToolError } from '#tool-call';
import type { Outcome, PermitGrant } from '#tool-call';
import { bearerToken } from './bearer-token.js';
import type { PermitQueue } from './permit-queue.js';
import type { TokenCache } from './token-cache.js';

/** The authenticated token, and the rate limiter's decision on this call. */
export interface Principal {
  token: TokenFacts;
  permit: PermitGrant;
}

/** Authenticates every call with an API token, for all interfaces. */
export class Authenticator {
  constructor(
    private readonly tokens: TokenCache,
    private readonly permits: PermitQueue,
  ) {}

  /**
   * Finds the token and counts the call against its organization's limit.
   * @throws ToolError TOKEN_MISSING or TOKEN_REFUSED; RemoteFailure when the domain service does not answer
   */
  async authenticate(authorization: string | undefined): Promise<Principal> {
    const token = await this.tokens.find(hashApiToken(bearerToken(authorization)));
    if (!token) throw new ToolError('TOKEN_REFUSED', {});
    return { token, permit: await this.permits.take(token.organizationId, token.ratePerMinute) };
  }
}

/** The refusal of a call over the limit: a Retry-After of at most ten minutes, and the exact instant of the reset. */
export function rateLimited({ limit, resetAt }: PermitGrant): Outcome {
  const refusal = new ToolError('RATE_LIMIT_REACHED', { limit }, { retryAt: new Date(resetAt * 1000) });
  return { ok: false, error: failureOf(refusal).error };
}
