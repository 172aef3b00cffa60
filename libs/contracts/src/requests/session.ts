import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { quotaNames } from '../quota.js';
import { roles } from '../role.js';
import { plan } from '../tools/domain.js';
import { approvalPolicies } from '../tools/organization.js';

export const membershipFacts = z.object({
  organizationId: z.string(),
  number: z.int(),
  name: z.string(),
  role: z.enum(roles),
  plan,
  /** The policy of approvals; absent from an older version: AGENTS. */
  approvals: z.enum(approvalPolicies).optional(),
  /** Whether members need a second factor; absent from an older version: they do not. */
  requireSecondFactor: z.boolean().optional(),
  quotas: z.record(z.enum(quotaNames), z.int().nullable()),
  cell: z.string().nullable(),
});

/** How approvers get mail about calls that wait for them: one each, a digest an hour, or none. */
export const approvalMails = ['EACH', 'HOURLY', 'NEVER'] as const;

export const sessionFacts = z.object({
  sessionId: z.string(),
  user: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    locale: z.string().nullable(),
    timezone: z.string().nullable(),
    operator: z.boolean(),
    approvalMail: z.enum(approvalMails).optional(),
    /** Whether the user has a second factor. */
    secondFactor: z.boolean().optional(),
  }),
  /** When the user last proved the password or another factor. */
  signedInAt: timestamp,
  /** The end of the session if it is not used again. */
  expiresAt: timestamp,
  memberships: z.array(membershipFacts),
});
export type SessionFacts = z.infer<typeof sessionFacts>;

export const listedSession = z.object({
  id: z.string(),
  browser: z.string().nullable(),
  ip: z.string().nullable(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  current: z.boolean(),
});

export const secret = z.string().min(1).max(512);
/** Taken exactly as typed; its rules are checked by the service, which names the one that is broken. */
const password = z.string().max(1_000);
/** `device`: the id in its signed cookie, when it signed in as this user before. */
export const client = z.strictObject({
  ip: z.string(),
  browser: z.string().max(300).nullable(),
  device: z.string().nullable(),
});
export const secretHash = z.string().length(64).describe('SHA-256, hex');
export const opened = z.object({ secret: z.string(), session: sessionFacts });

/** What may prove a user beside the password. */
export const provingFactors = ['TOTP', 'PASSKEY', 'RECOVERY_CODE'] as const;
export type ProvingFactor = (typeof provingFactors)[number];
/** The second step of a sign-in: one of the factors goes with the ticket within five minutes. */
const factorsAsked = z.object({ factors: z.array(z.enum(provingFactors)), ticket: z.string() });
const signInStep = z.union([opened, factorsAsked]);
export type SignInStep = z.infer<typeof signInStep>;
const name = z.string().trim().min(1).max(255);

/** A user as an identity provider names them (OpenID Connect Core 1.0, section 5.1). */
export const oidcIdentity = z.strictObject({
  issuer: z.string().max(1_000),
  subject: z.string().min(1).max(255),
  /** An address that the provider has verified; null without one. */
  email: z.string().max(320).nullable(),
  name: z.string().max(255).nullable(),
  /** Whether the provider says that it took several factors (`amr` holds "mfa", RFC 8176 section 2). */
  multiFactor: z.boolean(),
});
export type OidcIdentity = z.infer<typeof oidcIdentity>;

/** Users, their sessions and links (CONTRACT-PEOPLE, section 1); private to the gateway and the operator's command. */
export const sessionRequests = defineRequests('domain', {
  /** Null for an unknown, ended or expired session. */
  authenticate_session: {
    input: z.strictObject({ secretHash }),
    output: z.object({ session: sessionFacts.nullable() }),
    errors: [],
    transaction: 'read',
  },
  sign_in: {
    input: z.strictObject({ email: z.string().max(320), password, client }),
    output: signInStep,
    errors: ['SIGN_IN_REFUSED', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  /** Proves the password of a session again; the session gets a new secret. */
  sign_in_again: {
    input: z.strictObject({ secretHash, password, client }),
    output: signInStep,
    errors: ['SESSION_ENDED', 'SIGN_IN_REFUSED', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  /**
   * Signs in the user of an identity, which the gateway had from the identity provider. The first sign-in links the
   * identity to the user, or the invited, with its verified address.
   */
  sign_in_with_identity: {
    input: z.strictObject({ identity: oidcIdentity, secretHash: secretHash.optional(), client }),
    output: signInStep,
    errors: [
      'SESSION_ENDED',
      'OIDC_ADDRESS_UNVERIFIED',
      'OIDC_USER_UNKNOWN',
      'OIDC_OTHER_USER',
      'INVITATIONS_TOO_MANY',
      'MEMBER_EXISTS',
    ],
    transaction: 'own',
    hasSecrets: true,
  },
  list_sessions: {
    input: z.strictObject({ secretHash }),
    output: z.object({ sessions: z.array(listedSession) }),
    errors: ['SESSION_ENDED'],
    transaction: 'read',
  },
  /** Ends sessions of the user: this one, another one, or all others. Ended ones are counted as 0. */
  end_sessions: {
    input: z.strictObject({
      secretHash,
      which: z.union([z.enum(['this', 'others']), z.strictObject({ id: z.string() })]),
      client: client.optional(),
    }),
    output: z.object({ ended: z.int() }),
    errors: ['SESSION_ENDED'],
    transaction: 'own',
  },
  /** A link that makes the first user. Null once there is a user. Earlier links end. */
  issue_setup_link: {
    input: z.strictObject({}),
    output: z.object({ token: z.string().nullable() }),
    errors: [],
    transaction: 'write',
  },
  set_operator: {
    input: z.strictObject({ email: z.string().max(320), operator: z.boolean() }),
    output: z.object({ user: z.object({ id: z.string(), email: z.string(), operator: z.boolean() }) }),
    errors: ['MEMBER_NOT_FOUND'],
    transaction: 'own',
  },
  /** Makes the owner of the first organization, who is an operator too. */
  set_up_owner: {
    input: z.strictObject({ token: secret, email: z.string().max(320), name, password, client }),
    output: opened,
    errors: ['LINK_OVER', 'PASSWORD_REFUSED', 'PARAMETERS_INVALID', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  read_invitation: {
    input: z.strictObject({ token: secret, client }),
    output: z.object({
      invitation: z.object({
        email: z.string(),
        role: z.enum(roles),
        organization: z.string(),
        invitedBy: z.string().nullable(),
        expiresAt: timestamp,
        /** Whether the address belongs to a user, who accepts by signing in. */
        isKnown: z.boolean(),
      }),
    }),
    errors: ['LINK_OVER', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  /** A known user accepts with the password, or with the session that `secretHash` names. */
  accept_invitation: {
    input: z.strictObject({
      token: secret,
      name: name.optional(),
      password: password.optional(),
      secretHash: secretHash.optional(),
      client,
    }),
    output: signInStep,
    errors: [
      'LINK_OVER',
      'PASSWORD_REFUSED',
      'PARAMETERS_INVALID',
      'SIGN_IN_REFUSED',
      'SIGN_IN_SLOWED',
      'MEMBER_EXISTS',
      'INVITATIONS_TOO_MANY',
    ],
    transaction: 'own',
    hasSecrets: true,
  },
  /** Mails a link if the address belongs to a user. The answer never depends on that. */
  request_password_reset: {
    input: z.strictObject({ email: z.string().max(320), client }),
    output: z.object({}),
    errors: ['SIGN_IN_SLOWED'],
    transaction: 'own',
  },
  reset_password: {
    input: z.strictObject({ token: secret, password, client }),
    output: z.object({}),
    errors: ['LINK_OVER', 'PASSWORD_REFUSED', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  /** Ends all other sessions of the user; this one gets a new secret. */
  change_password: {
    input: z.strictObject({ secretHash, current: password, password, client }),
    output: opened,
    errors: ['SESSION_ENDED', 'SIGN_IN_REFUSED', 'SIGN_IN_SLOWED', 'PASSWORD_REFUSED', 'REAUTHENTICATION_REQUIRED'],
    transaction: 'own',
    hasSecrets: true,
  },
  change_profile: {
    input: z.strictObject({
      secretHash,
      name: name.optional(),
      locale: z.string().max(35).nullable().optional(),
      timezone: z.string().max(64).nullable().optional(),
      approvalMail: z.enum(approvalMails).optional(),
      /** Counts once its link was opened. */
      email: z.string().max(320).optional(),
      client: client.optional(),
    }),
    output: z.object({ session: sessionFacts, confirmationSentTo: z.string().nullable() }),
    errors: ['SESSION_ENDED', 'PARAMETERS_INVALID', 'TIMEZONE_UNKNOWN', 'MEMBER_EXISTS'],
    transaction: 'own',
  },
  confirm_address: {
    input: z.strictObject({ token: secret, client }),
    output: z.object({ email: z.string() }),
    errors: ['LINK_OVER', 'MEMBER_EXISTS', 'SIGN_IN_SLOWED'],
    transaction: 'own',
    hasSecrets: true,
  },
  /** Whether any user exists: then the mailbox pages need a session. */
  count_users: {
    input: z.strictObject({}),
    output: z.object({ users: z.int(), organizations: z.int() }),
    errors: [],
    transaction: 'read',
  },
});
