import { Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Bus } from '#bus';
import type { Client } from '#bus';
import { approvalMails, sessionRequests } from '#contracts';
import { assertRecent } from '../auth/caller-facts.js';
import { Authenticator } from '../auth/authenticator.js';
import { hashSessionSecret, SessionCookies } from '../auth/session-cookies.js';
import { SessionExchange, sessionCaller } from './session-exchange.service.js';

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

/** Sessions of users, and the links that make them: private routes for the pages of this server. */
@Controller('api/session')
export class SessionController {
  readonly #people: Client<typeof sessionRequests>;

  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(SessionCookies) private readonly cookies: SessionCookies,
    @Inject(SessionExchange) private readonly exchange: SessionExchange,
    @Inject(Bus) bus: Bus,
  ) {
    this.#people = bus.client(sessionRequests);
  }

  @Get()
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const { session, secret } = await this.authenticator.session(request);
      return { data: this.exchange.shown(session, secret) };
    });
  }

  @Post()
  signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.open(request, reply, inputs.signIn, (input) => {
      this.exchange.assertOwnSignIn();
      return this.#people.sign_in(this.exchange.from(request, input, input.email), sessionCaller(request));
    });
  }

  @Delete()
  signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const secretHash = await this.exchange.own(request);
      await this.#people.end_sessions(
        this.exchange.from(request, { secretHash, which: 'this' as const }),
        sessionCaller(request),
      );
      return { data: {}, cookies: this.cookies.ended(request) };
    });
  }

  @Post('again')
  signInAgain(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.open(request, reply, inputs.again, async (input) => {
      this.exchange.assertOwnSignIn();
      const { session, secret } = await this.authenticator.session(request);
      const asked = {
        ...this.exchange.from(request, input, session.user.email),
        secretHash: hashSessionSecret(secret),
      };
      return await this.#people.sign_in_again(asked, sessionCaller(request));
    });
  }

  @Post('setup')
  setUp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.open(request, reply, inputs.setup, (input) =>
      this.#people.set_up_owner(this.exchange.from(request, input), sessionCaller(request)),
    );
  }

  /** Returns what an invitation is for, or accepts it: with a password, or with `accept` as the user who is signed in. */
  @Post('invitation')
  async invitation(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.exchange.serve(reply, async () => {
      const { accept, ...input } = await this.exchange.read(request, inputs.invitation);
      const { token, client, ...person } = this.exchange.from(request, input);
      if (!accept && person.password === undefined)
        return { data: await this.#people.read_invitation({ token, client }, sessionCaller(request)) };
      if (!accept) this.exchange.assertOwnSignIn();
      const secretHash = accept ? await this.#ownRecent(request, 'Accepting an invitation') : undefined;
      const asked = { token, client, ...person, secretHash };
      return this.exchange.opened(request, await this.#people.accept_invitation(asked, sessionCaller(request)));
    });
  }

  @Post('forgot')
  forgot(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const input = await this.exchange.read(request, inputs.forgot);
      this.exchange.assertOwnSignIn();
      await this.#people.request_password_reset(this.exchange.from(request, input), sessionCaller(request));
      return { status: 202, data: {} };
    });
  }

  @Post('reset')
  reset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const input = await this.exchange.read(request, inputs.reset);
      this.exchange.assertOwnSignIn();
      await this.#people.reset_password(this.exchange.from(request, input), sessionCaller(request));
      return { data: {} };
    });
  }

  @Get('others')
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => ({
      data: await this.#people.list_sessions({ secretHash: await this.exchange.own(request) }, sessionCaller(request)),
    }));
  }

  /** Ends one session of the user, or all but this one. */
  @Delete('others')
  endOthers(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const secretHash = await this.exchange.own(request);
      const { id } = await this.exchange.read(request, inputs.others);
      const which = id === undefined ? ('others' as const) : { id };
      return {
        data: await this.#people.end_sessions(
          this.exchange.from(request, { secretHash, which }),
          sessionCaller(request),
        ),
      };
    });
  }

  @Post('password')
  changePassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.open(request, reply, inputs.password, async (input) => {
      this.exchange.assertOwnSignIn();
      const { session, secret } = await this.authenticator.session(request);
      const asked = {
        ...this.exchange.from(request, input, session.user.email),
        secretHash: hashSessionSecret(secret),
      };
      return await this.#people.change_password(asked, sessionCaller(request));
    });
  }

  @Post('profile')
  changeProfile(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const { session, secret } = await this.authenticator.session(request);
      const input = await this.exchange.read(request, inputs.profile);
      if (input.email !== undefined) assertRecent(session, 'A change of the address');
      const secretHash = hashSessionSecret(secret);
      const changed = await this.#people.change_profile(
        this.exchange.from(request, { ...input, secretHash }),
        sessionCaller(request),
      );
      const { confirmationSentTo } = changed;
      return { data: { ...this.exchange.shown(changed.session, secret), confirmationSentTo } };
    });
  }

  @Post('address')
  confirmAddress(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const input = await this.exchange.read(request, inputs.address);
      return { data: await this.#people.confirm_address(this.exchange.from(request, input), sessionCaller(request)) };
    });
  }

  /** The hash of a request's session, which must have signed in recently. */
  async #ownRecent(request: FastifyRequest, call: string): Promise<string> {
    const { session, secret } = await this.authenticator.session(request);
    assertRecent(session, call);
    return hashSessionSecret(secret);
  }
}
