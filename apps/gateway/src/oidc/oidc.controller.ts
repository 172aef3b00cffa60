import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Bus } from '#bus';
import type { Client } from '#bus';
import { sessionRequests } from '#contracts';
import type { SignInStep } from '#contracts';
import { RemoteFailure, ToolError } from '#tool-call';
import { Authenticator, assertSecureContext } from '../auth/authenticator.js';
import { hashSessionSecret, SessionCookies, sessionSecret } from '../auth/session-cookies.js';
import { sendResponse, toErrorResponse, toResponse } from '../http/response.js';
import { SessionExchange, sessionCaller } from '../session/session-exchange.service.js';
import type { OidcAttempts } from './oidc-attempts.js';
import type { OidcClient } from './oidc.client.js';

export interface Oidc {
  /** Null without an identity provider. */
  client: OidcClient | null;
  attempts: OidcAttempts;
  /** Whether users sign in through the provider only. */
  isOnly: boolean;
}
export const OIDC = Symbol('identity provider');

/** Sign-in through an identity provider: pages that browsers go to, each of which leads on to another page. */
@Controller('api/session')
export class OidcController {
  readonly #people: Client<typeof sessionRequests>;

  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(SessionCookies) private readonly cookies: SessionCookies,
    @Inject(SessionExchange) private readonly exchange: SessionExchange,
    @Inject(OIDC) private readonly oidc: Oidc,
    @Inject(Bus) bus: Bus,
  ) {
    this.#people = bus.client(sessionRequests);
  }

  /** How users of this installation may sign in. */
  @Get('options')
  options(@Res() reply: FastifyReply): void {
    const data = { oidc: this.oidc.client && { host: this.oidc.client.host }, passwords: !this.oidc.isOnly };
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
      const asked = this.exchange.from(request, { identity, ...(secretHash !== null && { secretHash }) });
      const step = await this.#people.sign_in_with_identity(asked, sessionCaller(request));
      const ended = this.cookies.oidcAttempt(request, '');
      if ('ticket' in step) return { to: secondStep(step, next), cookies: [ended] };
      return { to: next, cookies: [...(this.exchange.opened(request, step).cookies ?? []), ended] };
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

/** The page that asks for the second factor; the ticket is in the fragment, and so in no log. */
const secondStep = ({ factors, ticket }: Extract<SignInStep, { ticket: string }>, next: string): string =>
  `/sign-in?next=${encodeURIComponent(next)}#${new URLSearchParams({ ticket, factors: factors.join(' ') }).toString()}`;

/** A path of this server from a query; a page elsewhere would lead users astray. */
function ownPath(next: unknown): string {
  const origin = 'http://here';
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, origin)) return '/';
  const url = new URL(next, origin);
  return url.origin === origin ? url.pathname + url.search : '/';
}
