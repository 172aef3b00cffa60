import { randomBytes } from 'node:crypto';
import type { ServiceBus } from '#bus';
import type { OidcIdentity, SignInStep } from '#contracts';
import { ToolError } from '#tool-call';
import type { Invitation } from '../member/invitation.repository.js';
import { joinOrganization } from '../member/join-organization.js';
import type { InTransaction, Repositories } from '../repositories.js';
import type { PasswordHasher } from '../user/password.js';
import type { Client, SessionOpener } from './session-opener.service.js';
import type { SignInService } from './sign-in.service.js';
import { keyOf, localPartOf } from './user-address.js';

interface Dependencies {
  /** Each call outside a transaction. */
  repositories: Repositories;
  inTransaction: InTransaction;
  hasher: PasswordHasher;
  bus: Pick<ServiceBus, 'broadcast'>;
  opener: SessionOpener;
  signIn: SignInService;
}

/** Signs in users whom an identity provider proved (CONTRACT-PEOPLE, section 1). */
export class OidcSignInService {
  constructor(private readonly dependencies: Dependencies) {}

  /**
   * Opens a session for the user of an identity, or makes the session that `secretHash` names recent.
   * @throws ToolError OIDC_ADDRESS_UNVERIFIED, OIDC_USER_UNKNOWN, OIDC_OTHER_USER, SESSION_ENDED
   */
  async signIn(identity: OidcIdentity, secretHash: string | undefined, client: Client): Promise<SignInStep> {
    const { opener, signIn } = this.dependencies;
    const { issuer: target } = identity;
    const proofs = [identity.multiFactor ? ('OIDC_MULTI_FACTOR' as const) : ('OIDC' as const)];
    if (secretHash === undefined) {
      const id = (await this.#find(identity)) ?? (await this.#acceptInvitations(identity));
      return await signIn.continueFor({ id }, { client, action: 'sign_in', proofs, target });
    }
    const { sessionId, user } = await opener.find(secretHash);
    if ((await this.#find(identity)) !== user.id) throw new ToolError('OIDC_OTHER_USER', {});
    return await signIn.continueFor(user, { client, action: 'sign_in_again', proofs, sessionId, target });
  }

  /** The user who is linked to the identity, or becomes so by its verified address; null for an unknown one. */
  async #find(identity: OidcIdentity): Promise<string | null> {
    const { repositories, inTransaction } = this.dependencies;
    const linked = await repositories.oidcIdentities.findUser(identity);
    if (linked !== null) return linked;
    if (identity.email === null) throw new ToolError('OIDC_ADDRESS_UNVERIFIED', {});
    const user = await repositories.users.findByEmail(keyOf(identity.email));
    if (!user) return null;
    await inTransaction(({ oidcIdentities }) => oidcIdentities.insert(identity, user.id));
    return user.id;
  }

  /**
   * Makes a user of one who is invited: the provider's word for the address is worth the link that was mailed to it.
   * The password is random and kept by no one; a link can set another.
   */
  async #acceptInvitations(identity: OidcIdentity): Promise<string> {
    const { repositories, inTransaction, hasher, bus } = this.dependencies;
    const key = keyOf(identity.email!);
    const invitations = await repositories.invitations.listOfAddress(key);
    const [first] = invitations;
    if (!first) throw new ToolError('OIDC_USER_UNKNOWN', {});
    const passwordHash = await hasher.hash(randomBytes(32).toString('base64url'));
    const { email, emailKey } = first;
    const name = identity.name?.trim() || localPartOf(email);
    const { id, joined } = await inTransaction(async (within) => {
      const user = await within.users.insert({ email, emailKey, name, passwordHash, operator: false });
      // Another sign-in of the same user was first: the next one finds the user.
      if (!user) throw new ToolError('OIDC_USER_UNKNOWN', {});
      const joined = await acceptAll(within, user, invitations);
      if (joined.length === 0) throw new ToolError('OIDC_USER_UNKNOWN', {});
      await within.oidcIdentities.insert(identity, user.id);
      return { id: user.id, joined };
    });
    for (const organizationId of joined) bus.broadcast('member.changed', { userId: id, organizationId });
    return id;
  }
}

/** @returns the organizations that the user joined; invitations that ended meanwhile are left out */
async function acceptAll(
  within: Repositories,
  user: { id: string; email: string },
  invitations: readonly Invitation[],
): Promise<string[]> {
  const joined: string[] = [];
  for (const { organizationId, id, role } of invitations) {
    await within.members.lock(organizationId);
    if (!(await within.invitations.delete(organizationId, id))) continue;
    await joinOrganization(within, organizationId, user, role);
    joined.push(organizationId);
  }
  return joined;
}
