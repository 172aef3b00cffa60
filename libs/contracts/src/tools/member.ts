import { z } from 'zod';
import { emailText, idText, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { roles } from '../role.js';
import { allScopes } from '../scope.js';

export const actorKinds = ['TOKEN', 'USER', 'OPERATOR', 'SERVICE'] as const;

export const member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(roles),
  secondFactor: z.boolean(),
  lastSeenAt: timestamp.nullable(),
});

export const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(roles),
  invitedBy: z.string().nullable().describe('Name of the member who invited'),
  expiresAt: timestamp,
});

const byId = { userId: idText };
const role = z.enum(roles);

export const memberTools = defineTools('domain', {
  get_me: {
    summary: 'Returns who the caller is: the user or token, the organization, the rights and the rate limit.',
    category: 'members',
    scope: 'read',
    rules: ['asks is true if calls of scope send become approvals. organizations lists where a user is a member.'],
    input: z.strictObject({}),
    output: z.object({
      actor: z.object({
        kind: z.enum(actorKinds),
        id: z.string(),
        name: z.string(),
        email: z.string().nullable(),
        operator: z.boolean(),
      }),
      organization: z.object({ id: z.string(), number: z.int(), name: z.string() }),
      role: role.nullable(),
      scopes: z.array(z.enum(allScopes)),
      asks: z.boolean(),
      toolsets: z.array(z.string()).optional().describe('Of a token that is bound to toolsets'),
      rateLimit: z.int().describe('Calls a minute'),
      organizations: z.array(z.object({ id: z.string(), number: z.int(), name: z.string(), role })),
    }),
    errors: [],
    transaction: 'read',
    keywords: 'who am I, my rights, my role, what may I do, whose token, which account, my limits',
    example: {},
  },
  list_members: {
    summary: 'Lists the members of the organization with their roles.',
    category: 'members',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ members: z.array(member) }),
    errors: [],
    transaction: 'read',
    keywords: 'colleagues, team, staff, users, who has access, who works here, accounts',
    example: {},
  },
  invite_member: {
    summary: 'Invites an address to join the organization with a role, by a link that is valid for 7 days.',
    category: 'members',
    scope: 'admin',
    recentSignIn: ({ role }) => role === 'admin' || role === 'owner',
    rules: [
      'Inviting an address again renews its invitation. Only owners invite owners.',
      'link is present only if no mail could be sent; it is shown this once.',
    ],
    input: z.strictObject({ email: emailText, role }),
    output: z.object({ invitation, link: z.string().optional() }),
    errors: ['MEMBER_EXISTS', 'ROLE_TOO_HIGH', 'INVITATIONS_TOO_MANY', 'PARAMETERS_INVALID'],
    transaction: 'own',
    keywords: 'add a colleague, new user, give access, invitation, join the team, new account for staff',
    example: { email: 'new.member@example.com', role: 'editor' },
  },
  list_invitations: {
    summary: 'Lists the open invitations of the organization.',
    category: 'members',
    scope: 'admin',
    input: z.strictObject({}),
    output: z.object({ invitations: z.array(invitation) }),
    errors: [],
    transaction: 'read',
    keywords: 'open invitations, who was invited, not yet accepted, pending colleagues',
    example: {},
  },
  revoke_invitation: {
    summary: 'Revokes an open invitation; its link ends at once.',
    category: 'members',
    scope: 'admin',
    input: z.strictObject({ invitationId: idText }),
    output: z.object({ revoked: z.literal(true) }),
    errors: ['INVITATION_NOT_FOUND'],
    transaction: 'write',
    keywords: 'take an invitation back, cancel, withdraw, uninvite a colleague',
    example: { invitationId: '{invitationId}' },
  },
  update_member_role: {
    summary: 'Changes the role of a member. It takes effect within a second, also in open sessions.',
    category: 'members',
    scope: 'admin',
    recentSignIn: true,
    rules: ['Only owners grant, change or remove the role owner. One owner always remains.'],
    input: z.strictObject({ ...byId, role }),
    output: z.object({ member }),
    errors: ['MEMBER_NOT_FOUND', 'ROLE_TOO_HIGH', 'LAST_OWNER', 'APPROVERS_TOO_FEW'],
    transaction: 'own',
    keywords: 'change the rights of a colleague, promote, make admin, permissions, role of a user',
    example: { userId: '{memberId}', role: 'viewer' },
  },
  remove_member: {
    summary: 'Removes a member from the organization. Their sessions and PERSONAL tokens lose it within a second.',
    category: 'members',
    scope: 'admin',
    confirm: true,
    destructive: true,
    recentSignIn: true,
    rules: ['A user without any membership is deleted after 30 days.'],
    input: z.strictObject(byId),
    output: z.object({ removed: z.literal(true), tokens: z.int().describe('Personal tokens that ended') }),
    errors: ['MEMBER_NOT_FOUND', 'ROLE_TOO_HIGH', 'LAST_OWNER', 'APPROVERS_TOO_FEW'],
    transaction: 'own',
    keywords: 'take access away, a colleague left, remove a user from the team, delete an account',
    example: { userId: '{spareMemberId}' },
  },
  end_member_sessions: {
    summary: 'Ends all sessions of a member at once.',
    category: 'members',
    scope: 'admin',
    recentSignIn: true,
    input: z.strictObject(byId),
    output: z.object({ ended: z.int() }),
    errors: ['MEMBER_NOT_FOUND', 'ROLE_TOO_HIGH'],
    transaction: 'own',
    keywords: 'sign a colleague out everywhere, log out a user, stolen laptop, kick out',
    example: { userId: '{memberId}' },
  },
  send_password_reset: {
    summary: 'Mails a member a link to choose a new password. Admins never learn or set a password.',
    category: 'members',
    scope: 'admin',
    recentSignIn: true,
    rules: ['sent is false if no mail could be sent, or three were sent within the hour.'],
    input: z.strictObject(byId),
    output: z.object({ sent: z.boolean() }),
    errors: ['MEMBER_NOT_FOUND', 'ROLE_TOO_HIGH'],
    transaction: 'own',
    keywords: 'a colleague forgot the password, cannot sign in, new password, reset link for a user',
    example: { userId: '{memberId}' },
  },
});
