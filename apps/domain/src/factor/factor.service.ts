import type { ServiceBus } from '#bus';
import type { RelyingParty, SessionFacts } from '#contracts';
import { newUuid } from '#database';
import { ToolError } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import { recordSession } from '../session/session-audit.service.js';
import type { SessionAction } from '../session/session-action.js';
import type { Client, SessionOpener } from '../session/session-opener.service.js';
import {
  factorAddedMail,
  factorRemovedMail,
  factorsResetMail,
  recoveryCodesRenewedMail,
} from '../session/system-mail.js';
import type { SystemMail } from '../session/system-mail.js';
import type { SystemMailer } from '../session/system-mailer.client.js';
import { keyOf } from '../session/user-address.js';
import { refusedCode } from './factor-proof.service.js';
import { assertPasskeySite, registrationOptions, verifyRegistration } from './passkey.service.js';
import { hashRecoveryCode, makeRecoveryCodes } from './recovery-code.js';
import type { SecondFactor } from './second-factor.repository.js';
import { makeTotpSecret, stepOfCode, totpUri } from './totp.js';

interface Dependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  mailer: SystemMailer;
  bus: Pick<ServiceBus, 'broadcast'>;
  opener: SessionOpener;
}

interface Added {
  factor: SecondFactor;
  recoveryCodes?: string[];
}

const passkeysMax = 10;
const totpName = 'Authenticator app';

/** Sets up, lists and removes second factors of users (CONTRACT-PEOPLE, section 1). */
export class FactorService {
  constructor(private readonly dependencies: Dependencies) {}

  /** @throws ToolError SESSION_ENDED */
  async list(secretHash: string) {
    const { repositories, opener } = this.dependencies;
    const { user } = await opener.find(secretHash);
    return {
      factors: await repositories.factors.list(user.id),
      recoveryCodes: await repositories.recoveryCodes.count(user.id),
    };
  }

  /** @throws ToolError SESSION_ENDED, FACTORS_TOO_MANY */
  async beginTotp(secretHash: string): Promise<{ uri: string; secret: string }> {
    const { repositories, inTransaction, opener } = this.dependencies;
    const { sessionId, user } = await opener.find(secretHash);
    await assertNoTotp(repositories, user.id);
    const secret = makeTotpSecret();
    await inTransaction(({ signInTickets }) => signInTickets.putSetUp('ADD_TOTP', sessionId, secret));
    return { uri: totpUri(secret, user.email), secret };
  }

  /** @throws ToolError SESSION_ENDED, TICKET_OVER, FACTOR_REFUSED, FACTORS_TOO_MANY, SIGN_IN_SLOWED */
  async confirmTotp(secretHash: string, code: string, client: Client): Promise<Added> {
    const { repositories, inTransaction, opener } = this.dependencies;
    const session = await opener.find(secretHash);
    const { sessionId, user } = session;
    const secret = await repositories.signInTickets.findSetUp('ADD_TOTP', sessionId);
    if (secret === null) throw new ToolError('TICKET_OVER', {});
    const attempt = { emailKey: null, ip: client.ip, device: client.device, factorOf: user.id };
    await inTransaction(({ signInCounts }) => signInCounts.begin(attempt));
    const step = stepOfCode(secret, code, 0, Date.now());
    if (step === null) throw refusedCode();
    return await this.#add(session, client, async (within) => {
      await assertNoTotp(within, user.id);
      if (!(await within.signInTickets.takeSetUp('ADD_TOTP', sessionId))) throw new ToolError('TICKET_OVER', {});
      await within.signInCounts.succeed(attempt);
      return await within.factors.insertTotp(user.id, totpName, secret, step);
    });
  }

  /** @throws ToolError SESSION_ENDED, PASSKEY_UNAVAILABLE, FACTORS_TOO_MANY */
  async beginPasskey(secretHash: string, relyingParty: RelyingParty | null): Promise<Record<string, unknown>> {
    const { repositories, inTransaction, opener } = this.dependencies;
    const site = assertPasskeySite(relyingParty);
    const { sessionId, user } = await opener.find(secretHash);
    await assertRoomForPasskey(repositories, user.id);
    const options = await registrationOptions(site, user, await repositories.factors.listPasskeys(user.id, site.id));
    const { challenge } = options;
    await inTransaction(({ signInTickets }) => signInTickets.putSetUp('ADD_PASSKEY', sessionId, challenge));
    return { ...options };
  }

  /** @throws ToolError SESSION_ENDED, TICKET_OVER, FACTOR_REFUSED, PASSKEY_UNAVAILABLE, FACTORS_TOO_MANY */
  async registerPasskey(
    secretHash: string,
    given: { relyingParty: RelyingParty | null; name: string; passkey: Record<string, unknown> },
    client: Client,
  ): Promise<Added> {
    const { repositories, opener } = this.dependencies;
    const { name } = given;
    const site = assertPasskeySite(given.relyingParty);
    const session = await opener.find(secretHash);
    const { sessionId, user } = session;
    const challenge = await repositories.signInTickets.findSetUp('ADD_PASSKEY', sessionId);
    if (challenge === null) throw new ToolError('TICKET_OVER', {});
    const made = await verifyRegistration(site, challenge, given.passkey);
    return await this.#add(session, client, async (within) => {
      await assertRoomForPasskey(within, user.id);
      if (!(await within.signInTickets.takeSetUp('ADD_PASSKEY', sessionId))) throw new ToolError('TICKET_OVER', {});
      const factor = await within.factors.insertPasskey(user.id, { ...made, name, relyingParty: site.id });
      if (!factor) throw new ToolError('FACTOR_REFUSED', { problem: 'the passkey is registered already' });
      return factor;
    });
  }

  /** @throws ToolError SESSION_ENDED, FACTOR_NOT_FOUND */
  async rename(secretHash: string, factorId: string, name: string, client: Client): Promise<SecondFactor> {
    const { inTransaction, opener } = this.dependencies;
    const session = await opener.find(secretHash);
    return await inTransaction(async (within) => {
      const factor = await within.factors.rename(session.user.id, factorId, name);
      if (!factor) throw new ToolError('FACTOR_NOT_FOUND', { id: factorId });
      await recordSession(within, eventOf('rename_factor', session, client, factorId));
      return factor;
    });
  }

  /** Removes a factor; with the last one, the recovery codes. @throws ToolError SESSION_ENDED, FACTOR_NOT_FOUND */
  async remove(secretHash: string, factorId: string, client: Client): Promise<void> {
    const { inTransaction, opener } = this.dependencies;
    const session = await opener.find(secretHash);
    const { user } = session;
    const { name } = await inTransaction(async (within) => {
      await within.factors.lock(user.id);
      const factor = await within.factors.delete(user.id, factorId);
      if (!factor) throw new ToolError('FACTOR_NOT_FOUND', { id: factorId });
      if ((await within.factors.list(user.id)).length === 0) await within.recoveryCodes.deleteAll(user.id);
      await recordSession(within, eventOf('remove_factor', session, client, factorId));
      return factor;
    });
    await this.#announce(user.id);
    await this.#mail(user.email, factorRemovedMail(name));
  }

  /** Replaces the recovery codes. @returns ten new ones. @throws ToolError SESSION_ENDED, FACTOR_MISSING */
  async renewRecoveryCodes(secretHash: string, client: Client): Promise<string[]> {
    const { inTransaction, opener } = this.dependencies;
    const session = await opener.find(secretHash);
    const { user } = session;
    const codes = await inTransaction(async (within) => {
      await within.factors.lock(user.id);
      if ((await within.factors.list(user.id)).length === 0)
        throw new ToolError('FACTOR_MISSING', { call: 'A set of recovery codes' });
      await recordSession(within, eventOf('renew_recovery_codes', session, client, null));
      return await insertCodes(within, user.id);
    });
    await this.#mail(user.email, recoveryCodesRenewedMail());
    return codes;
  }

  /** Removes all factors and codes of a user, ends the sessions and mails a notice. @returns how many of both */
  async reset({ id, email }: { id: string; email: string }): Promise<{ removed: number; ended: number }> {
    const { inTransaction, opener } = this.dependencies;
    const { removed, ended } = await inTransaction((within) => resetIn(within, id));
    opener.announceEnded(ended);
    await this.#announce(id);
    await this.#mail(email, factorsResetMail());
    return { removed, ended: ended.length };
  }

  /** The same for the operator, by address; the audit log names the operator. @throws ToolError MEMBER_NOT_FOUND */
  async resetByOperator(email: string, requestId: string) {
    const { repositories, inTransaction } = this.dependencies;
    const user = await repositories.users.findByEmail(keyOf(email));
    if (!user) throw new ToolError('MEMBER_NOT_FOUND', { id: email.slice(0, 100), by: 'address' });
    const { id } = user;
    const actor = { kind: 'OPERATOR', id: 'operator' } as const;
    const event = { action: 'reset_factors', userId: id, actor, target: id, ip: null, requestId } as const;
    const done = await this.reset(user);
    await inTransaction((within) => recordSession(within, event));
    return { user: { id, email: user.email }, ...done };
  }

  /** Adds a factor, and recovery codes with the first. */
  async #add(
    session: SessionFacts,
    client: Client,
    insert: (within: Repositories) => Promise<SecondFactor>,
  ): Promise<Added> {
    const { user } = session;
    const added = await this.dependencies.inTransaction(async (within): Promise<Added> => {
      await within.factors.lock(user.id);
      const isFirst = (await within.factors.list(user.id)).length === 0;
      const factor = await insert(within);
      await recordSession(within, eventOf('add_factor', session, client, factor.id));
      return isFirst ? { factor, recoveryCodes: await insertCodes(within, user.id) } : { factor };
    });
    await this.#announce(user.id);
    await this.#mail(user.email, factorAddedMail(added.factor.name));
    return added;
  }

  /** Gateways and pages learn whether a user has a factor. */
  async #announce(userId: string): Promise<void> {
    const { repositories, bus } = this.dependencies;
    const sessions = await repositories.sessions.listOfUser(userId);
    bus.broadcast('session.changed', { sessionIds: sessions.map(({ id }) => id) });
    for (const { id: organizationId } of await repositories.members.listOfUser(userId))
      bus.broadcast('member.changed', { userId, organizationId });
  }

  async #mail(email: string, mail: SystemMail): Promise<void> {
    await this.dependencies.mailer.send(`factor:${newUuid()}`, email, mail);
  }
}

const eventOf = (
  action: SessionAction,
  { sessionId, user }: SessionFacts,
  { ip, requestId }: Client,
  target: string | null,
) => ({ action, userId: user.id, sessionId, target, ip, requestId });

async function insertCodes({ recoveryCodes }: Repositories, userId: string): Promise<string[]> {
  const codes = makeRecoveryCodes();
  await recoveryCodes.replace(userId, codes.map(hashRecoveryCode));
  return codes;
}

async function resetIn({ factors, recoveryCodes, signInTickets, sessions }: Repositories, userId: string) {
  await factors.lock(userId);
  const removed = await factors.deleteAll(userId);
  await recoveryCodes.deleteAll(userId);
  await signInTickets.deleteOfUser(userId);
  return { removed, ended: await sessions.deleteOfUser(userId) };
}

async function assertNoTotp({ factors }: Pick<Repositories, 'factors'>, userId: string): Promise<void> {
  if ((await factors.list(userId)).some(({ kind }) => kind === 'TOTP'))
    throw new ToolError('FACTORS_TOO_MANY', { limit: 1, what: 'authenticator app' });
}

async function assertRoomForPasskey({ factors }: Pick<Repositories, 'factors'>, userId: string): Promise<void> {
  const passkeys = (await factors.list(userId)).filter(({ kind }) => kind === 'PASSKEY');
  if (passkeys.length >= passkeysMax) throw new ToolError('FACTORS_TOO_MANY', { limit: passkeysMax, what: 'passkeys' });
}
