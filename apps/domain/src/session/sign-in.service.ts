import type { ProvingFactor, RelyingParty, SignInStep } from '#contracts';
import { newUuid } from '#database';
import { ToolError } from '#tool-call';
import { fittingFactor, provingFactorsOf, refusedCode } from '../factor/factor-proof.service.js';
import type { FittingFactor, GivenFactor } from '../factor/factor-proof.service.js';
import { assertPasskeySite, authenticationOptions } from '../factor/passkey.service.js';
import type { SignInTicket } from '../factor/sign-in-ticket.repository.js';
import type { InTransaction, Repositories } from '../repositories.js';
import type { User } from '../user/user.repository.js';
import type { PasswordProof } from './password-proof.service.js';
import { recordSession } from './session-audit.service.js';
import type { SessionAction } from './session-action.js';
import type { Client, Opened, SessionOpener } from './session-opener.service.js';
import { recoveryCodeUsedMail } from './system-mail.js';
import type { SystemMailer } from './system-mailer.client.js';

/**
 * What proved the user in this sign-in. SESSION: a session of the user that is in force. OIDC_MULTI_FACTOR: an identity
 * provider that took several factors.
 */
export type Proof = 'PASSWORD' | 'OIDC' | 'OIDC_MULTI_FACTOR' | 'SESSION' | ProvingFactor;

/** Proofs after which a second step would add nothing. */
const completeProofs: ReadonlySet<Proof> = new Set<Proof>([
  ...(['SESSION', 'OIDC_MULTI_FACTOR', 'TOTP', 'PASSKEY', 'RECOVERY_CODE'] as const),
]);

export interface Continuation {
  client: Client;
  action: SessionAction;
  proofs: readonly Proof[];
  /** The session that becomes recent and gets a new secret; without it a new session opens. */
  sessionId?: string | null;
  /** For the audit log. */
  target?: string | null;
}

interface Dependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  mailer: SystemMailer;
  opener: SessionOpener;
  passwords: PasswordProof;
}

/** Signs users in, however they prove who they are (CONTRACT-PEOPLE, section 1). */
export class SignInService {
  constructor(private readonly dependencies: Dependencies) {}

  /** @throws ToolError SIGN_IN_REFUSED, the same for unknown addresses, and SIGN_IN_SLOWED */
  async signIn(email: string, password: string, client: Client): Promise<SignInStep> {
    const user = await this.dependencies.passwords.prove(email, password, client, 'sign_in');
    return await this.continueFor(user, { client, action: 'sign_in', proofs: ['PASSWORD'] });
  }

  /** @throws ToolError SESSION_ENDED, SIGN_IN_REFUSED, SIGN_IN_SLOWED */
  async signInAgain(secretHash: string, password: string, client: Client): Promise<SignInStep> {
    const action = 'sign_in_again';
    const { session, user } = await this.dependencies.passwords.proveOfSession(secretHash, password, client, action);
    return await this.continueFor(user, { client, action, proofs: ['PASSWORD'], sessionId: session.sessionId });
  }

  /**
   * Goes on with a user who was proven: opens a session, or renews the one that is named. A user with a second factor who
   * did not prove it gets a ticket for the second step instead.
   */
  async continueFor({ id }: Pick<User, 'id'>, continuation: Continuation): Promise<SignInStep> {
    const { client, action, proofs, sessionId = null, target = null } = continuation;
    const { repositories, inTransaction } = this.dependencies;
    if (!proofs.some((proof) => completeProofs.has(proof))) {
      const factors = await provingFactorsOf(repositories, id);
      if (factors.length > 0) {
        const facts = { purpose: 'SIGN_IN', userId: id, action, target, sessionId, challenge: null } as const;
        const { device } = client;
        return { factors, ticket: await inTransaction((within) => within.signInTickets.insert({ ...facts, device })) };
      }
    }
    return await this.#open(id, { client, action, target, sessionId });
  }

  /**
   * Begins a proof by passkey: of a ticket's user, of a session's, or of any user with a passkey of this site.
   * @throws ToolError TICKET_OVER, SESSION_ENDED, PASSKEY_UNAVAILABLE, SIGN_IN_SLOWED
   */
  async askPasskey(
    of: { ticket?: string | undefined; secretHash?: string | undefined; relyingParty: RelyingParty | null },
    client: Client,
  ): Promise<{ ticket: string; options: Record<string, unknown> }> {
    const { repositories, inTransaction, opener } = this.dependencies;
    const site = assertPasskeySite(of.relyingParty);
    const session = of.secretHash === undefined ? null : await opener.find(of.secretHash);
    const held = of.ticket === undefined ? null : await this.#ticket(of.ticket);
    const userId = held?.userId ?? session?.user.id ?? null;
    const allowed = userId === null ? [] : await repositories.factors.listPasskeys(userId, site.id);
    if (userId !== null && allowed.length === 0)
      throw new ToolError('PASSKEY_UNAVAILABLE', { problem: `you have no passkey for ${site.id}` });
    const options = await authenticationOptions(site, allowed);
    const { challenge } = options;
    const ticket = await inTransaction(async ({ signInTickets }) => {
      if (of.ticket !== undefined) {
        await signInTickets.updateChallenge(of.ticket, challenge);
        return of.ticket;
      }
      const action = session ? 'sign_in_again' : 'sign_in';
      const { device } = client;
      const facts = { purpose: 'PASSKEY', action, target: null, sessionId: session?.sessionId ?? null } as const;
      return await signInTickets.insert({ ...facts, userId, device, challenge });
    });
    return { ticket, options: { ...options } };
  }

  /** @throws ToolError TICKET_OVER, FACTOR_REFUSED, PASSKEY_UNAVAILABLE, SIGN_IN_SLOWED */
  async proveFactor(secret: string, given: GivenFactor, client: Client): Promise<Opened> {
    const { repositories, inTransaction } = this.dependencies;
    const ticket = await this.#ticket(secret);
    if (ticket.purpose === 'PASSKEY' && given.passkey === undefined)
      throw new ToolError('FACTOR_REFUSED', { problem: 'only a passkey counts without a password' });
    const attempt = {
      emailKey: null,
      ip: client.ip,
      device: ticket.device,
      ...(ticket.userId !== null && { factorOf: ticket.userId }),
    };
    await inTransaction(({ signInCounts }) => signInCounts.begin(attempt));
    const { action, target, sessionId } = ticket;
    const factor = await fittingFactor(repositories, given, ticket).catch((error: unknown) =>
      this.#refused(error, ticket, client),
    );
    const opened = await this.#open(factor.userId, { client, action, target, sessionId }, async (within) => {
      if (!(await within.signInTickets.take(secret))) throw new ToolError('TICKET_OVER', {});
      if (!(await factor.use(within))) throw refusedCode();
      await within.signInCounts.succeed(attempt);
    }).catch((error: unknown) => this.#refused(error, ticket, client));
    if (factor.kind === 'RECOVERY_CODE') await this.#noteRecoveryCode(opened, factor, client);
    return opened;
  }

  async #open(
    userId: string,
    { client, action, target, sessionId }: Omit<Continuation, 'proofs'>,
    before: (within: Repositories) => Promise<void> = () => Promise.resolve(),
  ): Promise<Opened> {
    const { opener } = this.dependencies;
    const opened = await opener.open(async (within) => {
      await before(within);
      return sessionId ? await opener.renew(within, sessionId) : await opener.insert(within, userId, client);
    });
    return await opener.record(opened, action, client, target);
  }

  async #ticket(secret: string): Promise<SignInTicket> {
    const ticket = await this.dependencies.repositories.signInTickets.find(secret);
    if (!ticket) throw new ToolError('TICKET_OVER', {});
    return ticket;
  }

  /** Records a refused factor of a known user. @throws what was refused */
  #refused(error: unknown, { userId, action }: SignInTicket, { ip, requestId }: Client): never {
    const event = { action, outcome: 'FACTOR_REFUSED', ip, requestId };
    if (userId !== null && error instanceof ToolError && error.reason === 'FACTOR_REFUSED')
      void this.dependencies
        .inTransaction((within) => recordSession(within, { ...event, userId }))
        .catch(() => undefined);
    throw error;
  }

  async #noteRecoveryCode({ session }: Opened, { userId }: FittingFactor, { ip, requestId }: Client): Promise<void> {
    const { repositories, inTransaction, mailer } = this.dependencies;
    const { sessionId, user } = session;
    const event = { action: 'use_recovery_code', userId, sessionId, ip, requestId } as const;
    await inTransaction((within) => recordSession(within, event));
    const { left } = await repositories.recoveryCodes.count(userId);
    await mailer.send(`factor:${newUuid()}`, user.email, recoveryCodeUsedMail(left));
  }
}
