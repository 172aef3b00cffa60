import { Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Bus, serviceCaller } from '#bus';
import type { Client } from '#bus';
import { approvalMails, sessionRequests } from '#contracts';
import type { SessionFacts } from '#contracts';
import { parseInput, ToolError } from '#tool-call';
import { assertRecent } from '../auth/caller-facts.js';
import { Authenticator, assertSameOrigin, assertSecureContext } from '../auth/authenticator.js';
import { hashSessionSecret, SessionCookies } from '../auth/session-cookies.js';
import { checkForm } from '../http/json-body.js';
import { readJson } from '../http/read-json.js';
import { OIDC_ONLY } from '../oidc/oidc.controller.js';
import { sendResponse, toErrorResponse, toResponse } from '../http/response.js';

const bodyBytesMax = 64 * 1024;
const callMs = 10_000;

const text = z.string().max(1_000);
const inputs = {
  signIn: z.strictObject({ email: text, password: text }),
  again: z.strictObject({ password: text }),
  setup: z.strictObject({ token: text, email: text, name: text, password: text }),
  invitation: z.strictObject({
    token: text,
    name: text.optional(),
    password: text.optional(),
    accept: z.boolean().default(false),
  }),
  forgot: z.strictObject({ email: text }),
  reset: z.strictObject({ token: text, password: text }),
  password: z.strictObject({ current: text, password: text }),
  profile: z.strictObject({
    name: text.optional(),
    locale: text.nullable().optional(),
    timezone: text.nullable().optional(),
    approvalMail: z.enum(approvalMails).optional(),
    email: text.optional(),
  }),
  address: z.strictObject({ token: text }),
  others: z.strictObject({ id: text.optional() }),
  none: z.strictObject({}),
};

interface Reply {
  status?: number;
  data: object;
  cookies?: string[];
}

/** Sessions of users, and the links that make them: private routes for the pages of this server. */
@Controller('api/session')
export class SessionController {
  readonly #people: Client<typeof sessionRequests>;

  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(SessionCookies) private readonly cookies: SessionCookies,
    @Inject(OIDC_ONLY) private readonly oidcOnly: boolean,
    @Inject(Bus) bus: Bus,
  ) {
    this.#people = bus.client(sessionRequests);
  }

  @Get()
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => {
      const { session, secret } = await this.authenticator.session(request);
      return { data: this.#shown(session, secret) };
    });
  }

  @Post()
  signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#open(request, reply, inputs.signIn, (input) => {
      this.#assertPasswords();
      return this.#people.sign_in(this.#from(request, input, input.email), caller(request));
    });
  }

  @Delete()
  signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => {
      const secretHash = await this.#own(request);
      await this.#people.end_sessions(this.#from(request, { secretHash, which: 'this' as const }), caller(request));
      return { data: {}, cookies: this.cookies.ended(request) };
    });
  }

  @Post('again')
  signInAgain(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#open(request, reply, inputs.again, async (input) => {
      this.#assertPasswords();
      const { session, secret } = await this.authenticator.session(request);
      const asked = { ...this.#from(request, input, session.user.email), secretHash: hashSessionSecret(secret) };
      return await this.#people.sign_in_again(asked, caller(request));
    });
  }

  @Post('setup')
  setUp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#open(request, reply, inputs.setup, (input) =>
      this.#people.set_up_owner(this.#from(request, input), caller(request)),
    );
  }

  /** Returns what an invitation is for, or accepts it: with a password, or with `accept` as the user who is signed in. */
  @Post('invitation')
  async invitation(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#serve(reply, async () => {
      const { accept, ...input } = await this.#read(request, inputs.invitation);
      const { token, client, ...person } = this.#from(request, input);
      if (!accept && person.password === undefined)
        return { data: await this.#people.read_invitation({ token, client }, caller(request)) };
      if (!accept) this.#assertPasswords();
      const secretHash = accept ? await this.#own(request) : undefined;
      const asked = { token, client, ...person, secretHash };
      return this.#opened(request, await this.#people.accept_invitation(asked, caller(request)));
    });
  }

  @Post('forgot')
  forgot(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => {
      const input = await this.#read(request, inputs.forgot);
      this.#assertPasswords();
      await this.#people.request_password_reset(this.#from(request, input), caller(request));
      return { status: 202, data: {} };
    });
  }

  @Post('reset')
  reset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => {
      const input = await this.#read(request, inputs.reset);
      this.#assertPasswords();
      await this.#people.reset_password(this.#from(request, input), caller(request));
      return { data: {} };
    });
  }

  @Get('others')
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => ({
      data: await this.#people.list_sessions({ secretHash: await this.#own(request) }, caller(request)),
    }));
  }

  /** Ends one session of the user, or all but this one. */
  @Delete('others')
  endOthers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => {
      const secretHash = await this.#own(request);
      const { id } = await this.#read(request, inputs.others);
      const which = id === undefined ? ('others' as const) : { id };
      return { data: await this.#people.end_sessions(this.#from(request, { secretHash, which }), caller(request)) };
    });
  }

  @Post('password')
  changePassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#open(request, reply, inputs.password, async (input) => {
      this.#assertPasswords();
      const { session, secret } = await this.authenticator.session(request);
      const asked = { ...this.#from(request, input, session.user.email), secretHash: hashSessionSecret(secret) };
      return await this.#people.change_password(asked, caller(request));
    });
  }

  @Post('profile')
  changeProfile(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => {
      const { session, secret } = await this.authenticator.session(request);
      const input = await this.#read(request, inputs.profile);
      if (input.email !== undefined) assertRecent(session, 'A change of the address');
      const secretHash = hashSessionSecret(secret);
      const changed = await this.#people.change_profile(this.#from(request, { ...input, secretHash }), caller(request));
      const { confirmationSentTo } = changed;
      return { data: { ...this.#shown(changed.session, secret), confirmationSentTo } };
    });
  }

  @Post('address')
  confirmAddress(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#serve(reply, async () => {
      const input = await this.#read(request, inputs.address);
      return { data: await this.#people.confirm_address(this.#from(request, input), caller(request)) };
    });
  }

  /** @throws ToolError PASSWORD_SIGN_IN_OFF where the identity provider alone signs users in */
  #assertPasswords(): void {
    if (this.oidcOnly) throw new ToolError('PASSWORD_SIGN_IN_OFF', {});
  }

  async #open<S extends z.ZodType>(
    request: FastifyRequest,
    reply: FastifyReply,
    schema: S,
    work: (input: z.output<S>) => Promise<{ secret: string; session: SessionFacts }>,
  ): Promise<void> {
    await this.#serve(reply, async () => this.#opened(request, await work(await this.#read(request, schema))));
  }

  #opened(request: FastifyRequest, { secret, session }: { secret: string; session: SessionFacts }): Reply {
    const cookies = this.cookies.opened(request, secret, session.user.email);
    return { data: this.#shown(session, secret), cookies };
  }

  /** Reads the body of a request that comes from a page of this server over a secure connection. */
  async #read<S extends z.ZodType>(request: FastifyRequest, schema: S): Promise<z.output<S>> {
    assertSecureContext(request);
    assertSameOrigin(request);
    const { value, issues } = checkForm(await readJson(request, bodyBytesMax, { organizationId: '' }));
    return parseInput<S>(schema, value ?? {}, issues);
  }

  #from<I extends object>(request: FastifyRequest, input: I, email?: string) {
    const browser = request.headers['user-agent']?.slice(0, 300) ?? null;
    const device = email === undefined ? null : this.cookies.deviceOf(request, email);
    return { ...input, client: { ip: request.ip, browser, device } };
  }

  async #own(request: FastifyRequest): Promise<string> {
    return hashSessionSecret((await this.authenticator.session(request)).secret);
  }

  #shown({ sessionId, user, signedInAt, expiresAt, memberships }: SessionFacts, secret: string) {
    const organizations = memberships.map(({ organizationId: id, number, name, role }) => ({ id, number, name, role }));
    return {
      session: { id: sessionId, signedInAt, expiresAt },
      user,
      organizations,
      csrf: this.cookies.csrfToken(secret),
    };
  }

  async #serve(reply: FastifyReply, work: () => Promise<Reply>): Promise<void> {
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

const caller = ({ id }: FastifyRequest) => serviceCaller('', id, callMs);
