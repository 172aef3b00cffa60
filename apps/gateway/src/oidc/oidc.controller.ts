import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus, serviceCaller } from '#bus';
import { sessionRequests } from '#contracts';
import { RemoteFailure, ToolError } from '#tool-call';
import { Authenticator, assertSecureContext } from '../auth/authenticator.js';
import { hashSessionSecret, SessionCookies, sessionSecret } from '../auth/session-cookies.js';
import { sendResponse, toErrorResponse, toResponse } from '../http/response.js';
import type { OidcAttempts } from './oidc-attempts.js';
import type { OidcClient } from './oidc.client.js';

export interface Oidc {
  /** Null without an identity provider. */
  client: OidcClient | null;
  attempts: OidcAttempts;
}
export const OIDC = Symbol('identity provider');
export const OIDC_ONLY = Symbol('whether users sign in through the identity provider only');

const callMs = 10_000;

/** Sign-in through an identity provider: pages that browsers go to, each of which leads on to another page. */
@Controller('api/session')
export class OidcController {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(SessionCookies) private readonly cookies: SessionCookies,
    @Inject(OIDC) private readonly oidc: Oidc,
    @Inject(OIDC_ONLY) private readonly only: boolean,
  ) {}

  /** How users of this installation may sign in. */
  @Get('options')
  options(@Res() reply: FastifyReply): void {
    const data = { oidc: this.oidc.client && { host: this.oidc.client.host }, passwords: !this.only };
    sendResponse(reply, toResponse({ ok: true, data }));
  }

  /** Leads to the provider. `again` in the query: the user of this session proves again who they are. */
  @Get('oidc')
  begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { next, again } = request.query as Record<string, unknown>;
    return this.#lead(reply, async () => {
      assertSecureContext(request);
      const secretHash = again === undefined ? null : await this.#sessionHash(request);
      const { url, check } = await this.#client().begin(secretHash !== null);
      const attempt = { ...check, next: ownPath(next), secretHash, beganAt: Date.now() };
      return { to: url, cookies: [this.cookies.oidcAttempt(request, this.oidc.attempts.seal(attempt))] };
    });
  }

  /** Takes the provider's answer, opens the session, and leads to the page that the sign-in began at. */
  @Get('oidc/callback')
  finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#lead(reply, async () => {
      assertSecureContext(request);
      const attempt = this.oidc.attempts.open(this.cookies.oidcAttemptOf(request), Date.now());
      if (!attempt) throw new ToolError('OIDC_ATTEMPT_OVER', {});
      const { secretHash, next, ...check } = attempt;
      const query = request.url.slice(request.url.indexOf('?') + 1);
      const identity = await this.#client().finish(query, check, secretHash !== null);
      const browser = request.headers['user-agent']?.slice(0, 300) ?? null;
      const client = { ip: request.ip, browser, device: null };
      const asked = { identity, client, ...(secretHash !== null && { secretHash }) };
      const people = this.bus.client(sessionRequests);
      const { secret, session } = await people.sign_in_with_identity(asked, serviceCaller('', request.id, callMs));
      const cookies = this.cookies.opened(request, secret, session.user.email);
      return { to: next, cookies: [...cookies, this.cookies.oidcAttempt(request, '')] };
    });
  }

  #client(): OidcClient {
    const { client } = this.oidc;
    if (!client) throw new ToolError('OIDC_OFF', {});
    return client;
  }

  async #sessionHash(request: FastifyRequest): Promise<string> {
    const secret = sessionSecret(request);
    if (secret === null || !(await this.authenticator.findSession(request))) throw new ToolError('SESSION_ENDED', {});
    return hashSessionSecret(secret);
  }

  /** A browser shows no JSON: refusals lead to the sign-in page, which says them in the user's language. */
  async #lead(reply: FastifyReply, work: () => Promise<{ to: string; cookies: string[] }>): Promise<void> {
    void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    try {
      const { to, cookies } = await work();
      await reply.header('set-cookie', cookies).redirect(to, 303);
    } catch (error) {
      if (toErrorResponse(error).defect) throw error;
      await reply.redirect(`/sign-in?problem=${reasonOf(error)}`, 303);
    }
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof ToolError) return error.reason;
  return error instanceof RemoteFailure ? (error.failure.reason ?? error.failure.code) : 'INTERNAL';
};

/** A path of this server from a query; a page elsewhere would lead users astray. */
function ownPath(next: unknown): string {
  const origin = 'http://here';
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, origin)) return '/';
  const url = new URL(next, origin);
  return url.origin === origin ? url.pathname + url.search : '/';
}
