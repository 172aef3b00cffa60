import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { serviceCaller } from '#bus';
import type { SessionFacts, SignInStep } from '#contracts';
import { parseInput, ToolError } from '#tool-call';
import { assertSameOrigin, assertSecureContext } from '../auth/authenticator.js';
import type { Authenticator } from '../auth/authenticator.js';
import { hashSessionSecret } from '../auth/session-cookies.js';
import type { SessionCookies } from '../auth/session-cookies.js';
import { checkForm } from '../http/json-body.js';
import { readJson } from '../http/read-json.js';
import { sendResponse, toErrorResponse, toResponse } from '../http/response.js';

const bodyBytesMax = 64 * 1024;
const callMs = 10_000;

export interface Reply {
  status?: number;
  data: object;
  cookies?: string[];
}

/** What the private routes of sessions share: reading a page's request, and answering it with data and cookies. */
export class SessionExchange {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly cookies: SessionCookies,
    private readonly oidcOnly: boolean,
  ) {}

  /** @throws ToolError PASSWORD_SIGN_IN_OFF where the identity provider alone signs users in */
  assertOwnSignIn(): void {
    if (this.oidcOnly) throw new ToolError('PASSWORD_SIGN_IN_OFF', {});
  }

  /** Serves a request whose answer is a session. */
  async open<S extends z.ZodType>(
    request: FastifyRequest,
    reply: FastifyReply,
    schema: S,
    work: (input: z.output<S>) => Promise<SignInStep>,
  ): Promise<void> {
    await this.serve(reply, async () => this.opened(request, await work(await this.read(request, schema))));
  }

  /** The answer and the cookies of a session, or the second step that is asked for. */
  opened(request: FastifyRequest, step: SignInStep): Reply {
    if ('ticket' in step) return { data: { factors: step.factors, ticket: step.ticket } };
    const { secret, session } = step;
    const cookies = this.cookies.opened(request, secret, session.user.email);
    return { data: this.shown(session, secret), cookies };
  }

  /** Reads the body of a request that comes from a page of this server over a secure connection. */
  async read<S extends z.ZodType>(request: FastifyRequest, schema: S): Promise<z.output<S>> {
    assertSecureContext(request);
    assertSameOrigin(request);
    const { value, issues } = checkForm(await readJson(request, bodyBytesMax, { organizationId: '' }));
    return parseInput<S>(schema, value ?? {}, issues);
  }

  /** @param email whose known browser the request may come from */
  from<I extends object>(request: FastifyRequest, input: I, email?: string) {
    const browser = request.headers['user-agent']?.slice(0, 300) ?? null;
    const device = email === undefined ? null : this.cookies.deviceOf(request, email);
    return { ...input, client: { ip: request.ip, browser, device } };
  }

  /** The hash of the session of a request. */
  async own(request: FastifyRequest): Promise<string> {
    return hashSessionSecret((await this.authenticator.session(request)).secret);
  }

  /** What a page learns of its session. */
  shown({ sessionId, user, signedInAt, expiresAt, memberships }: SessionFacts, secret: string) {
    const organizations = memberships.map((one) => ({
      id: one.organizationId,
      number: one.number,
      name: one.name,
      role: one.role,
      requireSecondFactor: one.requireSecondFactor ?? false,
    }));
    return {
      session: { id: sessionId, signedInAt, expiresAt },
      user,
      organizations,
      csrf: this.cookies.csrfToken(secret),
    };
  }

  async serve(reply: FastifyReply, work: () => Promise<Reply>): Promise<void> {
    try {
      const { status = 200, data, cookies = [] } = await work();
      if (cookies.length > 0) void reply.header('set-cookie', cookies);
      sendResponse(reply, { ...toResponse({ ok: true, data }), status });
    } catch (error) {
      const { defect, ...response } = toErrorResponse(error);
      if (defect) throw error;
      sendResponse(reply, response);
    }
  }
}

export const sessionCaller = ({ id }: FastifyRequest) => serviceCaller('', id, callMs);
