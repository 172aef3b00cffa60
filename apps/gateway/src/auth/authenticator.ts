import type { FastifyRequest } from 'fastify';
import type { SessionFacts, TokenFacts } from '#contracts';
import { isOperatorPass } from '#link-token';
import { failureOf, hashApiToken, ToolError } from '#tool-call';
import type { Outcome, PermitGrant } from '#tool-call';
import { bearerToken } from './bearer-token.js';
import { bucketOf, callerOfSession, callerOfToken, lacksFactor, userRatePerMinute } from './caller-facts.js';
import type { CallerFacts } from './caller-facts.js';
import type { CredentialCache } from './credential-cache.js';
import { liveCredentialOfSession, liveCredentialOfToken } from './live-credential.js';
import type { CredentialChange, LiveCredential } from './live-credential.js';
import type { OperatorAuthenticator } from './operator-authenticator.js';
import type { PermitQueue } from './permit-queue.js';
import { hashSessionSecret, isSecureContext, sessionSecret } from './session-cookies.js';
import type { SessionCookies } from './session-cookies.js';

export interface Principal {
  token: CallerFacts;
  permit: PermitGrant;
}

interface AuthenticationOptions {
  /** Whether a session counts where there is no Authorization header, and the operator's pass. */
  acceptsSessions: boolean;
  concernsInstallation: boolean;
  /** Whether the call is open to a member who still has to set up a second factor. */
  opensWithoutFactor?: boolean;
}

const noOperator: AuthenticationOptions = { acceptsSessions: false, concernsInstallation: false };

interface Dependencies {
  tokens: CredentialCache<TokenFacts>;
  sessions: CredentialCache<SessionFacts>;
  cookies: SessionCookies;
  operator: OperatorAuthenticator;
  permits: PermitQueue;
}

export class Authenticator {
  readonly #listeners: ((change: CredentialChange) => void)[] = [];

  constructor(private readonly dependencies: Dependencies) {}

  /**
   * Finds the caller and counts the call against its limit.
   * @param acceptsSessions whether an operator's pass counts, and a session cookie where there is no Authorization
   * header
   */
  async authenticate(request: FastifyRequest, accepts: AuthenticationOptions): Promise<Principal> {
    const { acceptsSessions } = accepts;
    const { authorization } = request.headers;
    const secret = acceptsSessions && authorization === undefined ? sessionSecret(request) : null;
    const token =
      secret === null
        ? await this.#byHeader(request, bearerToken(authorization), accepts)
        : await this.#bySession(request, secret, accepts);
    return { token, permit: await this.#takePermit(token) };
  }

  /** The operator's calls count against no limit: the installation is theirs. */
  async #takePermit(caller: CallerFacts): Promise<PermitGrant> {
    const { actor, ratePerMinute: limit } = caller;
    if (actor.kind === 'OPERATOR')
      return { limit, granted: true, remaining: limit, resetAt: Math.ceil(Date.now() / 1000) };
    return await this.dependencies.permits.take(bucketOf(caller), limit);
  }

  /** The session of a request's cookie, whatever its organization. */
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

  /** The caller of a stream of live updates, which counts as one call. */
  async liveCredential(request: FastifyRequest): Promise<{ credential: LiveCredential; permit: PermitGrant }> {
    const { authorization } = request.headers;
    const secret = authorization === undefined ? sessionSecret(request) : null;
    const { permits } = this.dependencies;
    if (secret !== null) {
      const credential = await this.#liveSession(hashSessionSecret(secret));
      if (!credential) throw new ToolError('SESSION_ENDED', {});
      return { credential, permit: await permits.take(credential.callerId, userRatePerMinute) };
    }
    const token = await this.#byHeader(request, bearerToken(authorization), noOperator);
    const credential = await this.#liveToken(hashApiToken(bearerToken(authorization)));
    const { scopes } = token;
    if (!credential) throw new ToolError('TOKEN_SCOPE_MISSING', { tool: 'GET /api/events', scope: 'read', scopes });
    return { credential, permit: await permits.take(bucketOf(token), token.ratePerMinute) };
  }

  /** Registers a callback for changes of credentials; it runs when none of what was known before is used any more. */
  onChange(listener: (change: CredentialChange) => void): void {
    this.#listeners.push(listener);
  }

  noteChange(change: CredentialChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  async #liveSession(hash: string): Promise<LiveCredential | null> {
    const session = await this.dependencies.sessions.find(hash);
    return session && liveCredentialOfSession(session, () => this.#liveSession(hash));
  }

  async #liveToken(hash: string): Promise<LiveCredential | null> {
    const token = await this.dependencies.tokens.find(hash);
    return token && liveCredentialOfToken(token, hash, () => this.#liveToken(hash));
  }

  async #byHeader(
    request: FastifyRequest,
    credential: string,
    { acceptsSessions: acceptsPasses, concernsInstallation }: AuthenticationOptions,
  ): Promise<CallerFacts> {
    const { operator, tokens } = this.dependencies;
    if (acceptsPasses && isOperatorPass(credential))
      return await operator.authenticate(request, credential, concernsInstallation);
    const token = await tokens.find(hashApiToken(credential));
    if (!token) throw new ToolError('TOKEN_REFUSED', {});
    return callerOfToken(token, request.ip);
  }

  async #bySession(
    request: FastifyRequest,
    secret: string,
    { opensWithoutFactor = false }: AuthenticationOptions,
  ): Promise<CallerFacts> {
    const session = await this.dependencies.sessions.find(hashSessionSecret(secret));
    if (!session) throw new ToolError('SESSION_ENDED', {});
    this.#assertOwnPage(request, secret);
    const membership = membershipOf(session, request.headers['tidings-organization']);
    if (!opensWithoutFactor && lacksFactor(session, membership))
      throw new ToolError('SECOND_FACTOR_REQUIRED', { organization: membership.name });
    return callerOfSession(session, membership, request.ip);
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

/** Refuses changing requests that another site or origin made a browser send. */
export function assertSameOrigin(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  const { origin } = request.headers;
  if (site === undefined && origin === `${request.protocol}://${request.host}`) return;
  throw new ToolError('CSRF_REFUSED', {
    problem: 'it must come from a page of this server (Sec-Fetch-Site: same-origin, or an equal Origin)',
  });
}

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
