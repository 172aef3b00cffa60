import { newUuid } from '#database';
import { ToolError } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import { assertPassword } from '../user/password.js';
import type { PasswordHasher } from '../user/password.js';
import type { User } from '../user/user.repository.js';
import type { PasswordProof } from './password-proof.service.js';
import { recordSession } from './session-audit.service.js';
import type { Client, SessionOpener } from './session-opener.service.js';
import { passwordChangedMail, resetMail } from './system-mail.js';
import type { SystemMailer } from './system-mailer.client.js';
import { linkUrl, throttledByLink } from './throttled-link.service.js';
import { keyOf, localPartOf } from './user-address.js';

interface Dependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  hasher: PasswordHasher;
  mailer: SystemMailer;
  publicUrl: string;
  opener: SessionOpener;
  passwords: PasswordProof;
}

/** Changes passwords, by the current one or by a link (CONTRACT-PEOPLE, section 1). */
export class PasswordChangeService {
  constructor(private readonly dependencies: Dependencies) {}

  /** Mails a link if the address belongs to a user; does the same work, and answers the same, if not. */
  async requestReset(email: string, client: Client): Promise<void> {
    const { repositories, inTransaction } = this.dependencies;
    const key = keyOf(email);
    await inTransaction(({ signInCounts }) => signInCounts.begin({ emailKey: null, ip: client.ip, device: null }));
    const user = await repositories.users.findByEmail(key);
    // Not awaited: the time of the answer must not depend on whether the address is known.
    if (!user) return;
    const { ip, requestId } = client;
    const event = { action: 'request_password_reset', userId: user.id, target: user.email, ip, requestId } as const;
    void this.mailReset(user).then(() =>
      inTransaction((within) => recordSession(within, event)).catch(() => undefined),
    );
  }

  /** Mails a link to set a password. @returns whether it was accepted */
  async mailReset({ id, email }: Pick<User, 'id' | 'email'>): Promise<boolean> {
    const { inTransaction, mailer } = this.dependencies;
    const secret = await inTransaction(({ links }) => links.insert('RESET', id, null)).catch(() => null);
    return (
      secret !== null &&
      (await mailer.send(`reset:${newUuid()}`, email, resetMail(linkUrl(this.dependencies.publicUrl, 'reset', secret))))
    );
  }

  /** @throws ToolError LINK_OVER, PASSWORD_REFUSED, SIGN_IN_SLOWED */
  async resetPassword(token: string, password: string, client: Client): Promise<void> {
    await throttledByLink(this.dependencies.inTransaction, client, async () => {
      const { repositories, inTransaction, hasher, mailer } = this.dependencies;
      const found = await repositories.links.find('RESET', token);
      const user = found?.userId ? await repositories.users.findById(found.userId) : null;
      if (!user) throw new ToolError('LINK_OVER', {});
      assertPassword(password, await wordsOf(this.dependencies.repositories, user));
      const passwordHash = await hasher.hash(password);
      const ended = await inTransaction(async (within) => {
        if (!(await within.links.take('RESET', token))) throw new ToolError('LINK_OVER', {});
        await within.users.update(user.id, { passwordHash });
        await within.signInTickets.deleteOfUser(user.id);
        const { ip, requestId } = client;
        await recordSession(within, { action: 'reset_password', userId: user.id, ip, requestId });
        return await within.sessions.deleteOfUser(user.id);
      });
      this.dependencies.opener.announceEnded(ended);
      await mailer.send(`changed:${newUuid()}`, user.email, passwordChangedMail());
    });
  }

  /** @throws ToolError SESSION_ENDED, SIGN_IN_REFUSED, SIGN_IN_SLOWED, PASSWORD_REFUSED, REAUTHENTICATION_REQUIRED */
  async changePassword(secretHash: string, change: { current: string; password: string }, client: Client) {
    const { session, user } = await this.dependencies.passwords.proveOfSession(
      secretHash,
      change.current,
      client,
      'change_password',
    );
    // The password alone must not make the sign-in of a user with a second factor recent.
    if (session.user.secondFactor) assertRecent(session.signedInAt);
    const { hasher, mailer } = this.dependencies;
    assertPassword(change.password, await wordsOf(this.dependencies.repositories, user));
    const passwordHash = await hasher.hash(change.password);
    let ended: string[] = [];
    const opened = await this.dependencies.opener.open(async (repositories) => {
      await repositories.users.update(user.id, { passwordHash });
      await repositories.signInTickets.deleteOfUser(user.id);
      ended = await repositories.sessions.deleteOfUser(user.id, session.sessionId);
      return await this.dependencies.opener.renew(repositories, session.sessionId);
    });
    this.dependencies.opener.announceEnded(ended);
    await mailer.send(`changed:${newUuid()}`, user.email, passwordChangedMail());
    return await this.dependencies.opener.record(opened, 'change_password', client);
  }
}

const recentMs = 600_000;

function assertRecent(signedInAt: string): void {
  if (Date.now() - Date.parse(signedInAt) > recentMs)
    throw new ToolError('REAUTHENTICATION_REQUIRED', { call: 'A change of the password' });
}

/** Words that the user's password must not contain. */
async function wordsOf({ members }: Pick<Repositories, 'members'>, { id, email }: User): Promise<string[]> {
  return [localPartOf(email), ...(await members.listOfUser(id)).map(({ name }) => name)];
}
