import type { ServiceBus } from '#bus';
import { permits, rightsOf } from '#contracts';
import type { memberTools, Role } from '#contracts';
import { emailKey, parseAddress, wireAddress } from '#email-address';
import { ToolError } from '#tool-call';
import type { Caller, Descriptions, Handlers } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import type { PeopleServices } from '../session/people.service.js';
import { invitationMail } from '../session/system-mail.js';
import type { SystemMailer } from '../session/system-mailer.client.js';
import { assertApprovers } from '../organization/organization.js';
import { roleOf } from './caller-role.js';
import type { Member } from './member.repository.js';
import type { Invitation } from './invitation.repository.js';

export interface MemberDependencies extends Pick<PeopleServices, 'sessions' | 'passwordChanges' | 'factors'> {
  repositories: Repositories;
  inTransaction: InTransaction;
  mailer: SystemMailer;
  bus: ServiceBus;
  publicUrl: string;
}

const membersMax = 500;
const invitationsMax = 100;

type MemberHandlers = Handlers<typeof memberTools>;
type InvitationTool = 'invite_member' | 'list_invitations' | 'revoke_invitation';

export const invitationToolHandlers = ({
  repositories,
  inTransaction,
  mailer,
  publicUrl,
}: MemberDependencies): Pick<MemberHandlers, InvitationTool> => ({
  invite_member: async ({ email, role }, caller) => {
    const { organizationId } = caller;
    const address = readAddress(email);
    const own = await roleOf(repositories, caller);
    assertMayGrant(role, own);
    const invitedBy = caller.actor?.kind === 'USER' ? caller.actor.id : null;
    const { invitation, secret } = await inTransaction(async (within) => {
      await within.members.lock(organizationId);
      await assertRoom(within, organizationId, address);
      return await within.invitations.upsert(organizationId, { ...address, role, invitedBy });
    });
    const { name } = await repositories.organizations.get(organizationId);
    const url = `${publicUrl}/invitation#${secret}`;
    const mail = invitationMail({ organization: name, role, by: invitation.invitedBy, url });
    const sent = await mailer.send(`invitation:${invitation.id}:${invitation.expiresAt}`, address.email, mail);
    return sent
      ? { invitation: publicInvitation(invitation) }
      : { invitation: publicInvitation(invitation), link: url };
  },

  list_invitations: async (_args, { organizationId }) => ({
    invitations: (await repositories.invitations.list(organizationId)).map(publicInvitation),
  }),

  revoke_invitation: async ({ invitationId }, { organizationId }) => {
    if (!(await repositories.invitations.delete(organizationId, invitationId)))
      throw new ToolError('INVITATION_NOT_FOUND', { id: invitationId });
    return { revoked: true };
  },
});

export const memberToolHandlers = ({
  repositories,
  inTransaction,
  sessions,
  passwordChanges,
  factors,
  bus,
}: MemberDependencies): Omit<MemberHandlers, 'get_me' | InvitationTool> => ({
  list_members: async (_args, { organizationId }) => ({
    members: await repositories.members.list(organizationId),
  }),

  update_member_role: async ({ userId, role }, caller) => {
    const { organizationId } = caller;
    await inTransaction(async (within) => {
      const { own, member } = await changeable(within, userId, caller);
      assertMayGrant(role, own);
      await assertOwnerStays(within, organizationId, member, role);
      await assertApproversStay(within, organizationId, member, role);
      await within.members.updateRole(organizationId, userId, role);
    });
    bus.broadcast('member.changed', { userId, organizationId });
    return { member: (await repositories.members.find(organizationId, userId))! };
  },

  remove_member: async ({ userId }, caller) => {
    const { organizationId } = caller;
    const tokens = await inTransaction(async (within) => {
      const { member } = await changeable(within, userId, caller);
      await assertOwnerStays(within, organizationId, member, null);
      await assertApproversStay(within, organizationId, member, null);
      await within.approvals.updateWithdrawn(organizationId, userId);
      await within.members.delete(organizationId, userId);
      return await within.tokens.revokePersonal(organizationId, userId);
    });
    bus.broadcast('member.changed', { userId, organizationId });
    return { removed: true, tokens };
  },

  end_member_sessions: async ({ userId }, caller) => {
    await changeable(repositories, userId, caller);
    return { ended: await sessions.endAllOf(userId) };
  },

  send_password_reset: async ({ userId }, caller) => {
    const { member } = await changeable(repositories, userId, caller);
    return { sent: await passwordChanges.mailReset(member) };
  },

  reset_member_factors: async ({ userId }, caller) => {
    const { own, member } = await changeable(repositories, userId, caller);
    await assertMayReset(repositories, member, caller, own);
    return await factors.reset(member);
  },
});

export const memberToolDescriptions = ({ repositories }: MemberDependencies): Descriptions<typeof memberTools> => ({
  remove_member: async ({ userId }, caller) => {
    const { member } = await changeable(repositories, userId, caller);
    await assertOwnerStays(repositories, caller.organizationId, member, null);
    await assertApproversStay(repositories, caller.organizationId, member, null);
    const { name } = await repositories.organizations.get(caller.organizationId);
    return {
      action: 'Remove the member',
      message: `${member.name} (${member.email}), ${member.role}, will lose access to ${name}, with their personal tokens.`,
    };
  },
});

const publicInvitation = ({ id, email, role, invitedBy, expiresAt }: Invitation) => ({
  id,
  email,
  role,
  invitedBy,
  expiresAt,
});

function readAddress(email: string): { email: string; emailKey: string } {
  const parsed = parseAddress(email);
  if (parsed.ok) return { email: wireAddress(parsed.address), emailKey: emailKey(parsed.address) };
  const message = `The address ${parsed.reason}`;
  throw new ToolError('PARAMETERS_INVALID', { summary: `${message}.` }, { issues: [{ path: ['email'], message }] });
}

function assertMayGrant(role: Role, own: Role): void {
  if (role === 'owner' && own !== 'owner') throw new ToolError('ROLE_TOO_HIGH', { role, own });
}

async function changeable(
  within: Repositories,
  userId: string,
  caller: Caller,
): Promise<{ own: Role; member: Member }> {
  await within.members.lock(caller.organizationId);
  const own = await roleOf(within, caller);
  const member = await within.members.find(caller.organizationId, userId);
  if (!member) throw new ToolError('MEMBER_NOT_FOUND', { id: userId });
  assertMayGrant(member.role, own);
  return { own, member };
}

/**
 * Second factors protect a user everywhere: a member who resets an owner of another organization must be an owner there,
 * and a member who resets an operator must be one.
 */
async function assertMayReset(
  { members, users }: Pick<Repositories, 'members' | 'users'>,
  member: Member,
  { actor }: Caller,
  own: Role,
): Promise<void> {
  if (actor?.kind === 'OPERATOR') return;
  const caller = actor?.kind === 'USER' ? await users.findById(actor.id) : null;
  const owned = caller ? (await members.listOfUser(caller.id)).filter(({ role }) => role === 'owner') : [];
  const isCovered = (id: string) => owned.some((one) => one.id === id);
  for (const { id, role } of await members.listOfUser(member.id))
    if (role === 'owner' && !isCovered(id)) throw new ToolError('ROLE_TOO_HIGH', { role, own });
  if ((await users.findById(member.id))?.operator && !caller?.operator)
    throw new ToolError('ROLE_TOO_LOW', { call: 'This reset', role: own, needed: 'an operator of this installation' });
}

/** @param role the member's next role; null when the membership ends */
async function assertOwnerStays(
  { members }: Pick<Repositories, 'members'>,
  organizationId: string,
  member: Member,
  role: Role | null,
): Promise<void> {
  if (member.role !== 'owner' || role === 'owner') return;
  if ((await members.count(organizationId)).owners <= 1) throw new ToolError('LAST_OWNER', {});
}

/**
 * With the policy ALL, two members must be able to approve.
 * @param role the member's next role; null when the membership ends
 */
async function assertApproversStay(
  { members, organizations }: Pick<Repositories, 'members' | 'organizations'>,
  organizationId: string,
  member: Member,
  role: Role | null,
): Promise<void> {
  const approves = (one: Role | null) => one !== null && permits(rightsOf[one].scopes, 'approve');
  if (!approves(member.role) || approves(role)) return;
  if ((await organizations.getSettings(organizationId)).approvals !== 'ALL') return;
  assertApprovers((await members.count(organizationId)).approvers - 1);
}

async function assertRoom(
  { members, invitations, users }: Repositories,
  organizationId: string,
  address: { email: string; emailKey: string },
): Promise<void> {
  const user = await users.findByEmail(address.emailKey);
  if (user && (await members.find(organizationId, user.id)))
    throw new ToolError('MEMBER_EXISTS', { email: address.email });
  const open = await invitations.list(organizationId);
  if (open.length >= invitationsMax && !open.some(({ emailKey: key }) => key === address.emailKey))
    throw new ToolError('INVITATIONS_TOO_MANY', { limit: invitationsMax, what: 'open invitations' });
  if ((await members.count(organizationId)).members >= membersMax)
    throw new ToolError('INVITATIONS_TOO_MANY', { limit: membersMax, what: 'members' });
}
