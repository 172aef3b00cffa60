import type { ServiceBus } from '#bus';
import type { SignInStep } from '#contracts';
import { newUuid } from '#database';
import { ToolError } from '#tool-call';
import { joinOrganization } from '../member/join-organization.js';
import type { InTransaction, Repositories } from '../repositories.js';
import { assertPassword } from '../user/password.js';
import type { PasswordHasher } from '../user/password.js';
import type { User } from '../user/user.repository.js';
import type { PasswordProof } from './password-proof.service.js';
import { recordSession } from './session-audit.service.js';
import type { Client, SessionOpener } from './session-opener.service.js';
import type { Proof, SignInService } from './sign-in.service.js';
import { addressChangedMail } from './system-mail.js';
import type { SystemMailer } from './system-mailer.client.js';
import { throttledByLink } from './throttled-link.service.js';
import { keyOf, localPartOf, readAddress } from './user-address.js';

interface Dependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  hasher: PasswordHasher;
  mailer: SystemMailer;
  bus: ServiceBus;
  opener: SessionOpener;
  passwords: PasswordProof;
  signIn: SignInService;
}

/** What links of setup, invitation and a new address do (CONTRACT-PEOPLE, section 1). */
export class AccountLinkService {
  constructor(private readonly dependencies: Dependencies) {}

  /**
   * Makes the first user: owner of the first organization, and operator.
   * @throws ToolError LINK_OVER, PASSWORD_REFUSED, PARAMETERS_INVALID, SIGN_IN_SLOWED
   */
  async setUpOwner(asked: { token: string; email: string; name: string; password: string; client: Client }) {
    const { token, client } = asked;
    return await throttledByLink(this.dependencies.inTransaction, client, async () => {
      const address = readAddress(asked.email);
      const [organization] = await this.dependencies.repositories.organizations.list();
      assertPassword(asked.password, [localPartOf(address.email), organization?.name ?? '']);
      const passwordHash = await this.dependencies.hasher.hash(asked.password);
      const opened = await this.dependencies.opener.open(async (repositories) => {
        const isFirst = (await repositories.users.countLocked()) === 0;
        if (!(await repositories.links.take('SETUP', token)) || !isFirst || !organization)
          throw new ToolError('LINK_OVER', {});
        const user = await repositories.users.insert({ ...address, name: asked.name, passwordHash, operator: true });
        await repositories.members.insert(organization.id, user!.id, 'owner');
        return await this.dependencies.opener.insert(repositories, user!.id, client);
      });
      return await this.dependencies.opener.record(opened, 'set_up_owner', client);
    });
  }

  /** @throws ToolError LINK_OVER, SIGN_IN_SLOWED */
  async readInvitation(token: string, client: Client) {
    return await throttledByLink(this.dependencies.inTransaction, client, async () => {
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
  }): Promise<SignInStep> {
    const { token, client } = asked;
    return await throttledByLink(this.dependencies.inTransaction, client, async () => {
      const { repositories } = this.dependencies;
      const invitation = await repositories.invitations.findBySecret(token);
      if (!invitation) throw new ToolError('LINK_OVER', {});
      const { organizationId } = invitation;
      const known = await repositories.users.findByEmail(invitation.emailKey);
      const proofs = [known ? await this.#provenInvited(known, asked) : ('PASSWORD' as const)];
      const made = known ? null : await this.#newUser(invitation.email, organizationId, asked);
      const user = await this.dependencies.inTransaction(async (within) => {
        await within.members.lock(organizationId);
        if (!(await within.invitations.delete(organizationId, invitation.id))) throw new ToolError('LINK_OVER', {});
        const user =
          made && (await within.users.insert({ ...made, email: invitation.email, emailKey: invitation.emailKey }));
        const id = known?.id ?? user?.id;
        if (id === undefined) throw new ToolError('LINK_OVER', {});
        await joinOrganization(within, organizationId, { id, email: invitation.email }, invitation.role);
        return { id };
      });
      this.dependencies.bus.broadcast('member.changed', { userId: user.id, organizationId });
      const action = 'accept_invitation';
      return await this.dependencies.signIn.continueFor(user, { client, action, proofs, target: invitation.id });
    });
  }

  /** @throws ToolError LINK_OVER, MEMBER_EXISTS, SIGN_IN_SLOWED */
  async confirmAddress(token: string, client: Client): Promise<string> {
    return await throttledByLink(this.dependencies.inTransaction, client, async () => {
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

  async #provenInvited(
    known: User,
    asked: { password?: string | undefined; secretHash?: string | undefined; client: Client },
  ): Promise<Proof> {
    if (asked.secretHash !== undefined && (await this.dependencies.opener.find(asked.secretHash)).user.id === known.id)
      return 'SESSION';
    await this.dependencies.passwords.prove(known.email, asked.password ?? '', asked.client, 'accept_invitation');
    return 'PASSWORD';
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
}

/** Makes a link for the first user; earlier ones end. @returns its secret; null once there is a user */
export const issueSetupLink = async ({ users, links }: Repositories): Promise<string | null> =>
  (await users.countLocked()) === 0 ? await links.insertSetup() : null;
