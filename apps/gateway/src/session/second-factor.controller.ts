import { Controller, Delete, Get, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Bus } from '#bus';
import type { Client } from '#bus';
import { secondFactorRequests } from '#contracts';
import { Authenticator } from '../auth/authenticator.js';
import { assertRecent } from '../auth/caller-facts.js';
import { hashSessionSecret } from '../auth/session-cookies.js';
import { PUBLIC_URL } from '../mailbox/mailbox.controller.js';
import { passkeySiteOf } from './passkey-site.js';
import { SessionExchange, sessionCaller } from './session-exchange.service.js';

const text = z.string().max(1_000);
const credential = z.record(z.string(), z.unknown());
const inputs = {
  prove: z.strictObject({
    ticket: text,
    code: text.optional(),
    recoveryCode: text.optional(),
    passkey: credential.optional(),
  }),
  ask: z.strictObject({ ticket: text.optional(), again: z.boolean().default(false) }),
  confirm: z.strictObject({ code: text }),
  register: z.strictObject({ name: text, passkey: credential }),
  rename: z.strictObject({ name: text }),
  none: z.strictObject({}),
};

/** The second step of a sign-in, and the second factors of the user who is signed in. */
@Controller('api/session')
export class SecondFactorController {
  readonly #people: Client<typeof secondFactorRequests>;

  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(SessionExchange) private readonly exchange: SessionExchange,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
    @Inject(Bus) bus: Bus,
  ) {
    this.#people = bus.client(secondFactorRequests);
  }

  @Post('factor')
  prove(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.open(request, reply, inputs.prove, (input) =>
      this.#people.prove_factor(this.#fromSite(request, input), sessionCaller(request)),
    );
  }

  /** Options for a passkey: of a ticket's user, with `again` of who is signed in, else of any user with one here. */
  @Post('factor/passkey-options')
  ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const { again, ...input } = await this.exchange.read(request, inputs.ask);
      if (!again && input.ticket === undefined) this.exchange.assertOwnSignIn();
      const own = again ? { secretHash: await this.exchange.own(request) } : {};
      return {
        data: await this.#people.ask_passkey(this.#fromSite(request, { ...input, ...own }), sessionCaller(request)),
      };
    });
  }

  @Get('factors')
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.serve(reply, async () => ({
      data: await this.#people.list_factors({ secretHash: await this.exchange.own(request) }, sessionCaller(request)),
    }));
  }

  @Post('factors/totp')
  beginTotp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#change(request, reply, inputs.none, (_input, secretHash) =>
      this.#people.begin_totp({ secretHash }, sessionCaller(request)),
    );
  }

  @Post('factors/totp/confirm')
  confirmTotp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#change(request, reply, inputs.confirm, ({ code }, secretHash, email) =>
      this.#people.confirm_totp(this.exchange.from(request, { code, secretHash }, email), sessionCaller(request)),
    );
  }

  @Post('factors/passkey/options')
  beginPasskey(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const relyingParty = passkeySiteOf(request, this.publicUrl);
    return this.#change(request, reply, inputs.none, (_input, secretHash) =>
      this.#people.begin_passkey({ secretHash, relyingParty }, sessionCaller(request)),
    );
  }

  @Post('factors/passkey')
  registerPasskey(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#change(request, reply, inputs.register, (input, secretHash) =>
      this.#people.register_passkey(this.#fromSite(request, { ...input, secretHash }), sessionCaller(request)),
    );
  }

  @Post('factors/recovery-codes')
  renewRecoveryCodes(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#change(request, reply, inputs.none, (_input, secretHash) =>
      this.#people.renew_recovery_codes(this.exchange.from(request, { secretHash }), sessionCaller(request)),
    );
  }

  @Patch('factors/:id')
  rename(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') factorId: string): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const secretHash = await this.exchange.own(request);
      const { name } = await this.exchange.read(request, inputs.rename);
      const asked = this.exchange.from(request, { secretHash, factorId, name });
      return { data: await this.#people.rename_factor(asked, sessionCaller(request)) };
    });
  }

  @Delete('factors/:id')
  remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') factorId: string): Promise<void> {
    return this.exchange.serve(reply, async () => {
      const { session, secret } = await this.authenticator.session(request);
      assertRecent(session, 'A change of second factors');
      const asked = this.exchange.from(request, { secretHash: hashSessionSecret(secret), factorId });
      return { data: await this.#people.remove_factor(asked, sessionCaller(request)) };
    });
  }

  /** Serves a change of the user's factors, which needs a recent sign-in. */
  async #change<S extends z.ZodType>(
    request: FastifyRequest,
    reply: FastifyReply,
    schema: S,
    work: (input: z.output<S>, secretHash: string, email: string) => Promise<object>,
  ): Promise<void> {
    await this.exchange.serve(reply, async () => {
      const { session, secret } = await this.authenticator.session(request);
      const input = await this.exchange.read(request, schema);
      assertRecent(session, 'A change of second factors');
      return { data: await work(input, hashSessionSecret(secret), session.user.email) };
    });
  }

  #fromSite<I extends object>(request: FastifyRequest, input: I) {
    return { ...this.exchange.from(request, input), relyingParty: passkeySiteOf(request, this.publicUrl) };
  }
}
