import type { ServiceBus } from '#bus';
import type { SessionFacts } from '#contracts';
import { newUuid } from '#database';
import { timezoneNamed, ToolError } from '#tool-call';
import type { ApprovalMail } from '../approval/approval-notice.repository.js';
import type { InTransaction, Repositories } from '../repositories.js';
import { recordSession } from './session-audit.service.js';
import type { Origin, SessionOpener } from './session-opener.service.js';
import { newAddressMail } from './system-mail.js';
import type { SystemMailer } from './system-mailer.client.js';
import { linkUrl } from './throttled-link.service.js';
import { keyOf, readAddress } from './user-address.js';

interface Dependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  mailer: SystemMailer;
  bus: ServiceBus;
  publicUrl: string;
  opener: SessionOpener;
}

/** Ends sessions, and changes the user of one (CONTRACT-PEOPLE, section 1). */
export class SessionService {
  constructor(private readonly dependencies: Dependencies) {}

  /** Ends this session, another one, or all others of the user. @returns how many */
  async end(secretHash: string, which: 'this' | 'others' | { id: string }, origin: Origin): Promise<number> {
    const { sessionId, user } = await this.dependencies.opener.find(secretHash);
    const ended = await this.dependencies.inTransaction(async (within) => {
      const { sessions } = within;
      const action = which === 'this' ? 'sign_out' : 'end_sessions';
      const target = typeof which === 'string' ? null : which.id;
      await recordSession(within, { ...origin, action, userId: user.id, sessionId, target });
      if (which === 'others') return await sessions.deleteOfUser(user.id, sessionId);
      return await sessions.delete(user.id, which === 'this' ? sessionId : which.id);
    });
    this.dependencies.opener.announceEnded(ended);
    return ended.length;
  }

  async endAllOf(userId: string): Promise<number> {
    const ended = await this.dependencies.inTransaction(({ sessions }) => sessions.deleteOfUser(userId));
    this.dependencies.opener.announceEnded(ended);
    return ended.length;
  }

  /** @throws ToolError SESSION_ENDED, PARAMETERS_INVALID, TIMEZONE_UNKNOWN, MEMBER_EXISTS */
  async changeProfile(
    secretHash: string,
    change: {
      name?: string | undefined;
      locale?: string | null | undefined;
      timezone?: string | null | undefined;
      approvalMail?: ApprovalMail | undefined;
      email?: string | undefined;
    },
    origin: Origin,
  ): Promise<{ session: SessionFacts; confirmationSentTo: string | null }> {
    const { inTransaction, repositories, bus } = this.dependencies;
    const { user, sessionId } = await this.dependencies.opener.find(secretHash);
    const timezone = change.timezone ? timezoneNamed(change.timezone) : change.timezone;
    const address = change.email === undefined ? null : readAddress(change.email);
    if (address && (await repositories.users.findByEmail(address.emailKey)))
      throw new ToolError('MEMBER_EXISTS', { email: address.email });
    const given = { name: change.name, locale: change.locale, approvalMail: change.approvalMail };
    await inTransaction(({ users }) => users.update(user.id, { ...given, timezone }));
    bus.broadcast('session.changed', { sessionIds: [sessionId] });
    if (address) {
      const event = { ...origin, action: 'request_address_change', target: address.email } as const;
      await inTransaction((within) => recordSession(within, { ...event, userId: user.id, sessionId }));
    }
    const confirmationSentTo = address && (await this.#mailAddress(user.id, address.email)) ? address.email : null;
    return { session: await this.dependencies.opener.find(secretHash), confirmationSentTo };
  }

  /** Marks a user as an operator, or removes the mark; it counts in open sessions at once. @throws ToolError MEMBER_NOT_FOUND */
  async setOperator(email: string, operator: boolean): Promise<{ id: string; email: string; operator: boolean }> {
    const { inTransaction, repositories, bus } = this.dependencies;
    const user = await inTransaction(async ({ users }) => {
      const found = await users.findByEmail(keyOf(email));
      if (!found) throw new ToolError('MEMBER_NOT_FOUND', { id: email.slice(0, 100) });
      await users.update(found.id, { operator });
      return found;
    });
    const sessions = await repositories.sessions.listOfUser(user.id);
    bus.broadcast('session.changed', { sessionIds: sessions.map(({ id }) => id) });
    return { id: user.id, email: user.email, operator };
  }

  async #mailAddress(userId: string, email: string): Promise<boolean> {
    const { inTransaction, mailer } = this.dependencies;
    const secret = await inTransaction(({ links }) => links.insert('ADDRESS', userId, email));
    return (
      secret !== null &&
      (await mailer.send(
        `new:${newUuid()}`,
        email,
        newAddressMail(linkUrl(this.dependencies.publicUrl, 'address', secret)),
      ))
    );
  }
}
