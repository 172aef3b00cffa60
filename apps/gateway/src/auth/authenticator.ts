import type { FastifyRequest } from 'fastify';
import type { SessionFacts, TokenFacts } from '#contracts';
import { failureOf, hashApiToken, ToolError } from '#tool-call';
import type { Outcome, PermitGrant } from '#tool-call';
import { bearerToken } from './bearer-token.js';
import { bucketOf, callerOfSession, callerOfToken } from './caller-facts.js';
import type { CallerFacts } from './caller-facts.js';
import type { CredentialCache } from './credential-cache.js';
import type { PermitQueue } from './permit-queue.js';
import { hashSessionSecret, isSecureContext, sessionSecret } from './session-cookies.js';
import type { SessionCookies } from './session-cookies.js';

/** The authenticated caller, and the rate limiter's decision on this call. */
export interface Principal {
  token: CallerFacts;
  permit: PermitGrant;
}

interface Dependencies {
  tokens: CredentialCache<TokenFacts>;
  sessions: CredentialCache<SessionFacts>;
  cookies: SessionCookies;
  permits: PermitQueue;
}

/** Authenticates every call, by an API token or a user's session, for all interfaces. */
export class Authenticator {
  constructor(private readonly dependencies: Dependencies) {}

  /**
   * Finds the caller and counts the call against its limit.
   * @param acceptsSessions whether a session cookie counts where there is no Authorization header
   * @throws ToolError TOKEN_MISSING, TOKEN_REFUSED, SESSION_ENDED, CSRF_REFUSED, ORGANIZATION_REQUIRED,
   * ORGANIZATION_NOT_FOUND; RemoteFailure when the domain service does not answer
   */
  async authenticate(request: FastifyRequest, acceptsSessions: boolean): Promise<Principal> {
    const { authorization } = request.headers;
    const secret = acceptsSessions && authorization === undefined ? sessionSecret(request) : null;
    const token = secret === null ? await this.#byToken(authorization) : await this.#bySession(request, secret);
    return { token, permit: await this.dependencies.permits.take(bucketOf(token), token.ratePerMinute) };
  }

  /**
   * The session of a request's cookie, whatever its organization.
   * @throws ToolError SESSION_ENDED, CSRF_REFUSED
   */
  async session(request: FastifyRequest): Promise<{ session: SessionFacts; secret: string }> {
    const secret = sessionSecret(request);
    const session = await this.findSession(request);
    if (secret === null || !session) throw new ToolError('SESSION_ENDED', {});
    this.#assertOwnPage(request, secret);
    return { session, secret };
  }

  /** The session of a request's cookie, wherever the request comes from. @returns null without one in force */
  async findSession(request: FastifyRequest): Promise<SessionFacts | null> {
    const secret = sessionSecret(request);
    return secret === null ? null : await this.dependencies.sessions.find(hashSessionSecret(secret));
  }

  async #byToken(authorization: string | undefined): Promise<CallerFacts> {
    const token = await this.dependencies.tokens.find(hashApiToken(bearerToken(authorization)));
    if (!token) throw new ToolError('TOKEN_REFUSED', {});
    return callerOfToken(token);
  }

  async #bySession(request: FastifyRequest, secret: string): Promise<CallerFacts> {
    const session = await this.dependencies.sessions.find(hashSessionSecret(secret));
    if (!session) throw new ToolError('SESSION_ENDED', {});
    this.#assertOwnPage(request, secret);
    return callerOfSession(session, membershipOf(session, request.headers['tidings-organization']));
  }

  #assertOwnPage(request: FastifyRequest, secret: string): void {
    if (['GET', 'HEAD'].includes(request.method)) return;
    assertSameOrigin(request);
    if (!this.dependencies.cookies.isCsrfToken(request.headers['tidings-csrf'], secret))
      throw new ToolError('CSRF_REFUSED', {
        problem: 'the header Tidings-Csrf must hold the csrf value of GET /api/session',
      });
  }
}

/**
 * Refuses changing requests that another site or origin made a browser send.
 * @throws ToolError CSRF_REFUSED
 */
export function assertSameOrigin(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  const { origin } = request.headers;
  if (site === undefined && origin === `${request.protocol}://${request.host}`) return;
  throw new ToolError('CSRF_REFUSED', {
    problem: 'it must come from a page of this server (Sec-Fetch-Site: same-origin, or an equal Origin)',
  });
}

/** @throws ToolError CONNECTION_INSECURE */
export function assertSecureContext(request: FastifyRequest): void {
  if (!isSecureContext(request)) throw new ToolError('CONNECTION_INSECURE', { host: request.host });
}

/** The membership that a request names by number or id; a user's only one needs no name. */
function membershipOf({ memberships }: SessionFacts, named: string | string[] | undefined) {
  const numbers = memberships.map(({ number }) => String(number));
  if (named === undefined && memberships.length === 1) return memberships[0]!;
  if (typeof named !== 'string') throw new ToolError('ORGANIZATION_REQUIRED', { organizations: numbers });
  const found = memberships.find(({ number, organizationId }) => [String(number), organizationId].includes(named));
  if (!found) throw new ToolError('ORGANIZATION_NOT_FOUND', { id: named.slice(0, 100) });
  return found;
}

/** The refusal of a call over the limit: a Retry-After of at most ten minutes, and the exact instant of the reset. */
export function rateLimited({ limit, resetAt }: PermitGrant): Outcome {
  const refusal = new ToolError('RATE_LIMIT_REACHED', { limit }, { retryAt: new Date(resetAt * 1000) });
  return { ok: false, error: failureOf(refusal).error };
}
