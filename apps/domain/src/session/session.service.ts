import { randomBytes } from 'node:crypto';
import type { ServiceBus } from '#bus';
import type { Role, SessionFacts } from '#contracts';
import { newUuid } from '#database';
import { emailKey, parseAddress, wireAddress } from '#email-address';
import { timezoneNamed, ToolError } from '#tool-call';
import type { ApprovalMail } from '../approval/approval-notice.repository.js';
import type { InTransaction, Repositories } from '../repositories.js';
import { assertPassword } from '../user/password.js';
import type { PasswordHasher } from '../user/password.js';
import type { User } from '../user/user.repository.js';
import { hashSecret } from './one-time-link.repository.js';
import { recordSession } from './session-audit.service.js';
import type { SessionAction } from './session-audit.service.js';
import { addressChangedMail, newAddressMail, passwordChangedMail, resetMail } from './system-mail.js';
import type { SystemMailer } from './system-mailer.client.js';

export interface SessionDependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  hasher: PasswordHasher;
  mailer: SystemMailer;
  bus: ServiceBus;
  publicUrl: string;
}

export interface Client {
  ip: string;
  browser: string | null;
  device: string | null;
  requestId: string;
}

/** What the audit log keeps of a request that may come without a client from older gateways. */
type Origin = Pick<Client, 'requestId'> & { ip: string | null };

interface Opened {
  secret: string;
  session: SessionFacts;
}

const membersMax = 500;

/** Opens, proves, changes and ends the sessions of users (CONTRACT-PEOPLE, section 1). */
export class SessionService {
  constructor(private readonly dependencies: SessionDependencies) {}

  /** @throws ToolError SIGN_IN_REFUSED, the same for unknown addresses, and SIGN_IN_SLOWED */
  async signIn(email: string, password: string, client: Client): Promise<Opened> {
    const user = await this.#proven(email, password, client, 'sign_in');
    const opened = await this.#open((repositories) => this.#insert(repositories, user.id, client));
    return await this.#recorded(opened, 'sign_in', client);
  }

  /** @throws ToolError SESSION_ENDED, SIGN_IN_REFUSED, SIGN_IN_SLOWED */
  async signInAgain(secretHash: string, password: string, client: Client): Promise<Opened> {
    const { session } = await this.#userOf(secretHash, password, client, 'sign_in_again');
    const opened = await this.#open((repositories) => this.#renew(repositories, session.sessionId));
    return await this.#recorded(opened, 'sign_in_again', client);
  }

  /** @throws ToolError SESSION_ENDED */
  async find(secretHash: string): Promise<SessionFacts> {
    const session = await this.dependencies.repositories.sessions.findByHash(secretHash);
    if (!session) throw new ToolError('SESSION_ENDED', {});
    return session;
  }

  /** Ends this session, another one, or all others of the user. @returns how many */
  async end(secretHash: string, which: 'this' | 'others' | { id: string }, origin: Origin): Promise<number> {
    const { sessionId, user } = await this.find(secretHash);
    const ended = await this.dependencies.inTransaction(async (within) => {
      const { sessions } = within;
      const action = which === 'this' ? 'sign_out' : 'end_sessions';
      const target = typeof which === 'string' ? null : which.id;
      await recordSession(within, { ...origin, action, userId: user.id, sessionId, target });
      if (which === 'others') return await sessions.deleteOfUser(user.id, sessionId);
      return await sessions.delete(user.id, which === 'this' ? sessionId : which.id);
    });
    this.#announceEnded(ended);
    return ended.length;
  }

  async endAllOf(userId: string): Promise<number> {
    const ended = await this.dependencies.inTransaction(({ sessions }) => sessions.deleteOfUser(userId));
    this.#announceEnded(ended);
    return ended.length;
  }

  /**
   * Makes the first user: owner of the first organization, and operator.
   * @throws ToolError LINK_OVER, PASSWORD_REFUSED, PARAMETERS_INVALID, SIGN_IN_SLOWED
   */
  async setUpOwner(asked: { token: string; email: string; name: string; password: string; client: Client }) {
    const { token, client } = asked;
    return await this.#byLink(client, async () => {
      const address = this.#address(asked.email);
      const [organization] = await this.dependencies.repositories.organizations.list();
      assertPassword(asked.password, [localPartOf(address.email), organization?.name ?? '']);
      const passwordHash = await this.dependencies.hasher.hash(asked.password);
      const opened = await this.#open(async (repositories) => {
        const isFirst = (await repositories.users.countLocked()) === 0;
        if (!(await repositories.links.take('SETUP', token)) || !isFirst || !organization)
          throw new ToolError('LINK_OVER', {});
        const user = await repositories.users.insert({ ...address, name: asked.name, passwordHash, operator: true });
        await repositories.members.insert(organization.id, user!.id, 'owner');
        return await this.#insert(repositories, user!.id, client);
      });
      return await this.#recorded(opened, 'set_up_owner', client);
    });
  }

  /** @throws ToolError LINK_OVER, SIGN_IN_SLOWED */
  async readInvitation(token: string, client: Client) {
    return await this.#byLink(client, async () => {
      const { repositories } = this.dependencies;
      const invitation = await repositories.invitations.findBySecret(token);
      if (!invitation) throw new ToolError('LINK_OVER', {});
      const { email, role, invitedBy, expiresAt, emailKey: key, organizationId } = invitation;
      const { name } = await repositories.organizations.get(organizationId);
      const isKnown = (await repositories.users.findByEmail(key)) !== null;
      return { invitation: { email, role, organization: name, invitedBy, expiresAt, isKnown } };
    });
  }

  /** @throws ToolError LINK_OVER, PASSWORD_REFUSED, PARAMETERS_INVALID, SIGN_IN_REFUSED, SIGN_IN_SLOWED, MEMBER_EXISTS */
  async acceptInvitation(asked: {
    token: string;
    name?: string | undefined;
    password?: string | undefined;
    secretHash?: string | undefined;
    client: Client;
  }): Promise<Opened> {
    const { token, client } = asked;
    return await this.#byLink(client, async () => {
      const { repositories } = this.dependencies;
      const invitation = await repositories.invitations.findBySecret(token);
      if (!invitation) throw new ToolError('LINK_OVER', {});
      const { organizationId } = invitation;
      const known = await repositories.users.findByEmail(invitation.emailKey);
      const userId = known ? await this.#provenInvited(known, asked) : null;
      const made = known ? null : await this.#newUser(invitation.email, organizationId, asked);
      const opened = await this.#open(async (within) => {
        await within.members.lock(organizationId);
        if (!(await within.invitations.delete(organizationId, invitation.id))) throw new ToolError('LINK_OVER', {});
        const user =
          made && (await within.users.insert({ ...made, email: invitation.email, emailKey: invitation.emailKey }));
        const id = userId ?? user?.id;
        if (id === undefined) throw new ToolError('LINK_OVER', {});
        await this.#join(within, organizationId, { id, email: invitation.email }, invitation.role);
        return await this.#insert(within, id, client);
      });
      this.dependencies.bus.broadcast('member.changed', { userId: opened.session.user.id, organizationId });
      return await this.#recorded(opened, 'accept_invitation', client, invitation.id);
    });
  }

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
    return secret !== null && (await mailer.send(`reset:${newUuid()}`, email, resetMail(this.#url('reset', secret))));
  }

  /** @throws ToolError LINK_OVER, PASSWORD_REFUSED, SIGN_IN_SLOWED */
  async resetPassword(token: string, password: string, client: Client): Promise<void> {
    await this.#byLink(client, async () => {
      const { repositories, inTransaction, hasher, mailer } = this.dependencies;
      const found = await repositories.links.find('RESET', token);
      const user = found?.userId ? await repositories.users.findById(found.userId) : null;
      if (!user) throw new ToolError('LINK_OVER', {});
      assertPassword(password, await this.#wordsOf(user));
      const passwordHash = await hasher.hash(password);
      const ended = await inTransaction(async (within) => {
        if (!(await within.links.take('RESET', token))) throw new ToolError('LINK_OVER', {});
        await within.users.update(user.id, { passwordHash });
        const { ip, requestId } = client;
        await recordSession(within, { action: 'reset_password', userId: user.id, ip, requestId });
        return await within.sessions.deleteOfUser(user.id);
      });
      this.#announceEnded(ended);
      await mailer.send(`changed:${newUuid()}`, user.email, passwordChangedMail());
    });
  }

  /** @throws ToolError SESSION_ENDED, SIGN_IN_REFUSED, SIGN_IN_SLOWED, PASSWORD_REFUSED */
  async changePassword(secretHash: string, change: { current: string; password: string }, client: Client) {
    const { session, user } = await this.#userOf(secretHash, change.current, client, 'change_password');
    const { hasher, mailer } = this.dependencies;
    assertPassword(change.password, await this.#wordsOf(user));
    const passwordHash = await hasher.hash(change.password);
    let ended: string[] = [];
    const opened = await this.#open(async (repositories) => {
      await repositories.users.update(user.id, { passwordHash });
      ended = await repositories.sessions.deleteOfUser(user.id, session.sessionId);
      return await this.#renew(repositories, session.sessionId);
    });
    this.#announceEnded(ended);
    await mailer.send(`changed:${newUuid()}`, user.email, passwordChangedMail());
    return await this.#recorded(opened, 'change_password', client);
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
    const { user, sessionId } = await this.find(secretHash);
    const timezone = change.timezone ? timezoneNamed(change.timezone) : change.timezone;
    const address = change.email === undefined ? null : this.#address(change.email);
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
    return { session: await this.find(secretHash), confirmationSentTo };
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

  /** @throws ToolError LINK_OVER, MEMBER_EXISTS, SIGN_IN_SLOWED */
  async confirmAddress(token: string, client: Client): Promise<string> {
    return await this.#byLink(client, async () => {
      const { inTransaction, repositories, mailer, bus } = this.dependencies;
      const { email, userId, former } = await inTransaction(async (within) => {
        const { links, users } = within;
        const link = await links.take('ADDRESS', token);
        const known = link?.userId ? await users.findById(link.userId) : null;
        if (!known || !link?.email) throw new ToolError('LINK_OVER', {});
        if (!(await users.updateEmail(known.id, link.email, keyOf(link.email))))
          throw new ToolError('MEMBER_EXISTS', { email: link.email });
        const { ip, requestId } = client;
        const target = link.email;
        await recordSession(within, { action: 'change_address', userId: known.id, target, ip, requestId });
        return { email: link.email, userId: known.id, former: known.email };
      });
      const sessions = await repositories.sessions.listOfUser(userId);
      bus.broadcast('session.changed', { sessionIds: sessions.map(({ id }) => id) });
      await mailer.send(`address:${newUuid()}`, former, addressChangedMail(email));
      return email;
    });
  }

  async #mailAddress(userId: string, email: string): Promise<boolean> {
    const { inTransaction, mailer } = this.dependencies;
    const secret = await inTransaction(({ links }) => links.insert('ADDRESS', userId, email));
    return (
      secret !== null && (await mailer.send(`new:${newUuid()}`, email, newAddressMail(this.#url('address', secret))))
    );
  }

  async #byLink<T>({ ip }: Client, work: () => Promise<T>): Promise<T> {
    const { inTransaction } = this.dependencies;
    const attempt = { emailKey: null, ip, device: null };
    await inTransaction(({ signInCounts }) => signInCounts.begin(attempt));
    const result = await work().catch(async (error: unknown) => {
      if (!(error instanceof ToolError && error.reason === 'LINK_OVER'))
        await inTransaction(({ signInCounts }) => signInCounts.succeed(attempt));
      throw error;
    });
    await inTransaction(({ signInCounts }) => signInCounts.succeed(attempt));
    return result;
  }

  async #recorded(opened: Opened, action: SessionAction, { ip, requestId }: Client, target: string | null = null) {
    const { sessionId, user } = opened.session;
    const event = { action, userId: user.id, sessionId, target, ip, requestId };
    await this.dependencies.inTransaction((within) => recordSession(within, event));
    return opened;
  }

  async #proven(email: string, password: string, client: Client, action: SessionAction): Promise<User> {
    const { repositories, inTransaction, hasher } = this.dependencies;
    const attempt = { emailKey: keyOf(email), ip: client.ip, device: client.device };
    await inTransaction(({ signInCounts }) => signInCounts.begin(attempt));
    const user = await repositories.users.findByEmail(attempt.emailKey);
    const { ok, rehashed } = await hasher.verify(password, user?.passwordHash ?? null);
    if (!ok || !user) {
      const { ip, requestId } = client;
      const failed = { action, outcome: 'SIGN_IN_REFUSED', ip, requestId };
      if (user)
        void inTransaction((within) => recordSession(within, { ...failed, userId: user.id })).catch(() => undefined);
      throw new ToolError('SIGN_IN_REFUSED', {});
    }
    await inTransaction(async ({ signInCounts, users }) => {
      await signInCounts.succeed(attempt);
      if (rehashed !== undefined) await users.update(user.id, { passwordHash: rehashed });
    });
    return user;
  }

  async #userOf(secretHash: string, password: string, client: Client, action: SessionAction) {
    const session = await this.find(secretHash);
    return { session, user: await this.#proven(session.user.email, password, client, action) };
  }

  async #provenInvited(
    known: User,
    asked: { password?: string | undefined; secretHash?: string | undefined; client: Client },
  ): Promise<string> {
    if (asked.secretHash !== undefined && (await this.find(asked.secretHash)).user.id === known.id) return known.id;
    return (await this.#proven(known.email, asked.password ?? '', asked.client, 'accept_invitation')).id;
  }

  async #newUser(
    email: string,
    organizationId: string,
    { name, password }: { name?: string | undefined; password?: string | undefined },
  ) {
    const issues = Object.entries({ name, password }).flatMap(([key, value]) =>
      value === undefined ? [{ path: [key], message: 'is required' }] : [],
    );
    if (name === undefined || password === undefined)
      throw new ToolError('PARAMETERS_INVALID', { summary: 'name and password are required.' }, { issues });
    const { name: organization } = await this.dependencies.repositories.organizations.get(organizationId);
    assertPassword(password, [localPartOf(email), organization]);
    return { name, passwordHash: await this.dependencies.hasher.hash(password), operator: false };
  }

  async #join(within: Repositories, organizationId: string, user: { id: string; email: string }, role: Role) {
    const { members } = await within.members.count(organizationId);
    if (members >= membersMax) throw new ToolError('INVITATIONS_TOO_MANY', { limit: membersMax, what: 'members' });
    if (!(await within.members.insert(organizationId, user.id, role)))
      throw new ToolError('MEMBER_EXISTS', { email: user.email });
  }

  async #wordsOf({ id, email }: User): Promise<string[]> {
    return [
      localPartOf(email),
      ...(await this.dependencies.repositories.members.listOfUser(id)).map(({ name }) => name),
    ];
  }

  /** @returns the new session's secret; ids of sessions that end for it */
  async #insert({ sessions }: Repositories, userId: string, client: Client) {
    const secret = makeSessionSecret();
    return { secret, ended: await sessions.insert(userId, hashSecret(secret), client) };
  }

  async #renew({ sessions }: Repositories, sessionId: string) {
    const secret = makeSessionSecret();
    await sessions.updateSecret(sessionId, hashSecret(secret));
    return { secret, ended: [] };
  }

  async #open(work: (repositories: Repositories) => Promise<{ secret: string; ended: string[] }>): Promise<Opened> {
    const { secret, ended } = await this.dependencies.inTransaction(work);
    this.#announceEnded(ended);
    return { secret, session: await this.find(hashSecret(secret)) };
  }

  /** Gateways forget ended sessions. */
  #announceEnded(sessionIds: readonly string[]): void {
    if (sessionIds.length > 0) this.dependencies.bus.broadcast('session.ended', { sessionIds });
  }

  #address(email: string): { email: string; emailKey: string } {
    const parsed = parseAddress(email.trim());
    if (!parsed.ok) {
      const message = `The address ${parsed.reason}`;
      throw new ToolError('PARAMETERS_INVALID', { summary: `${message}.` }, { issues: [{ path: ['email'], message }] });
    }
    return { email: wireAddress(parsed.address), emailKey: emailKey(parsed.address) };
  }

  #url(page: string, secret: string): string {
    return `${this.dependencies.publicUrl}/${page}#${secret}`;
  }
}

/** Makes a link for the first user; earlier ones end. @returns its secret; null once there is a user */
export const issueSetupLink = async ({ users, links }: Repositories): Promise<string | null> =>
  (await users.countLocked()) === 0 ? await links.insertSetup() : null;

const makeSessionSecret = (): string => `tds_${randomBytes(32).toString('base64url')}`;

const localPartOf = (email: string): string => email.slice(0, email.lastIndexOf('@'));

/** The identity of a typed address; other text is no user's address. */
function keyOf(email: string): string {
  const parsed = parseAddress(email.trim());
  return parsed.ok ? emailKey(parsed.address) : email.trim().toLowerCase();
}
