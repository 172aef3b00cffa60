import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { quotaNames } from '../quota.js';
import { allScopes } from '../scope.js';
import { accessToken } from '../tools/access.js';
import { domainStatus, organization, plan, sender, senderName, webDomain } from '../tools/domain.js';
import { quotaChanges } from '../tools/organization.js';

const scopes = z.array(z.enum(allScopes)).min(1);

const quotas = z.record(z.enum(quotaNames), z.int().nullable());
export type Quotas = z.infer<typeof quotas>;

/** The namespace of the cell that keeps what an organization has in the other services; null for the home. */
const cell = z.string().nullable();

export const tokenFacts = z.object({
  tokenId: z.string(),
  organizationId: z.string(),
  scopes,
  selfConfirm: z.boolean(),
  /** Whether calls of scope `send` become approvals; absent from an older version: unless selfConfirm. */
  asks: z.boolean().optional(),
  /** Of a PERSONAL token: the member whose rights bound it. */
  userId: z.string().optional(),
  /** The toolsets that bound it; absent for none. */
  toolsets: z.array(z.string()).optional(),
  expiresAt: timestamp.nullable(),
  plan,
  ratePerMinute: z.int(),
  quotas,
  cell,
});
export type TokenFacts = z.infer<typeof tokenFacts>;

/** A sender with what a message needs: its domain's status and where bounces go. */
export const senderFacts = sender.extend({
  domainId: z.string(),
  domainStatus,
  mailFromDomain: z.string(),
});
export type SenderFacts = z.infer<typeof senderFacts>;

/** Answers of an older version lack what tools added. */
export const apiToken = accessToken.partial({ kind: true, toolsets: true, createdBy: true });
const organizationFacts = organization.extend({
  number: z.int(),
  ratePerMinute: z.int(),
  currency: z.string(),
  /** The tracking of mail that does not set its own. */
  tracking: z.object({ opens: z.boolean(), clicks: z.boolean() }),
  /** Seconds for which a send that a session starts or approves can be undone; absent from an older version. */
  sendDelaySeconds: z.int().optional(),
  /** Its own, else those of its plan. */
  quotas,
  cell,
});
export type OrganizationFacts = z.infer<typeof organizationFacts>;

/** Requests to the domain service; those of the operator's command name the organization in the body. */
export const domainRequests = defineRequests('domain', {
  authenticate_token: {
    input: z.strictObject({ tokenHash: z.string().length(64).describe('SHA-256, hex') }),
    output: z.object({ token: tokenFacts.nullable() }),
    errors: [],
    transaction: 'read',
  },
  take_permits: {
    input: z.strictObject({
      takes: z.array(z.object({ organizationId: z.string(), limit: z.int().min(1), count: z.int().min(1) })).max(1000),
    }),
    output: z.object({
      grants: z.array(
        z.object({
          organizationId: z.string(),
          granted: z.int(),
          remaining: z.int(),
          resetAt: z.int().describe('By the clock of the database'),
          resetInMs: z.int().optional().describe('the same as a duration'),
          second: z.int().optional().describe('the unix second in which they count'),
          secondEndsInMs: z.int().optional(),
        }),
      ),
    }),
    errors: [],
    transaction: 'read',
  },

  return_permits: {
    input: z.strictObject({
      returns: z.array(z.object({ organizationId: z.string(), second: z.int(), count: z.int().min(1) })).max(1000),
    }),
    output: z.object({}),
    errors: [],
    transaction: 'read',
  },
  get_organization: {
    input: z.strictObject({}),
    output: z.object({ organization: organizationFacts }),
    errors: ['ORGANIZATION_NOT_FOUND'],
    transaction: 'read',
  },
  /**
   * `senderId` null asks for the organization's default sender, else the one last used, else any; the answer is null
   * when there is none. `use` notes that mail is about to be sent with it.
   */
  get_sender: {
    input: z.strictObject({ senderId: z.string().nullable(), use: z.boolean().default(false) }),
    output: z.object({ sender: senderFacts.nullable() }),
    errors: [],
    transaction: 'read',
  },
  find_sending_domain: {
    input: z.strictObject({ domain: z.string() }),
    output: z.object({ domain: z.object({ status: domainStatus, mailFromDomain: z.string() }).nullable() }),
    errors: [],
    transaction: 'read',
  },
  /** The host that links in an organization's mail should carry: its oldest VERIFIED web domain; null for ours. */
  find_link_host: {
    input: z.strictObject({}),
    output: z.object({ hostname: z.string().nullable() }),
    errors: [],
    transaction: 'read',
  },
  get_signing_key: {
    input: z.strictObject({ domain: z.string() }),
    output: z.object({
      key: z.object({ domain: z.string(), selector: z.string(), privateKeyPem: z.string() }).nullable(),
    }),
    errors: [],
    transaction: 'read',
  },
  create_organization: {
    input: z.strictObject({ name: senderName, cell: cell.default(null) }),
    output: z.object({ organization: organizationFacts, sender }),
    errors: ['CELL_UNKNOWN'],
    transaction: 'own',
  },
  list_organizations: {
    input: z.strictObject({}),
    output: z.object({ organizations: z.array(organizationFacts) }),
    errors: [],
    transaction: 'read',
  },
  set_organization: {
    input: z.strictObject({
      organizationId: z.string(),
      name: senderName.optional(),
      timezone: z.string().optional(),
      address: z.string().trim().max(1000).nullable().optional(),
      plan: plan.optional(),
      doubleOptIn: z.boolean().optional(),
      trackOpens: z.boolean().optional(),
      trackClicks: z.boolean().optional(),
      quotas: quotaChanges.optional(),
      ratePerMinute: z.int().min(1).max(10_000_000).nullable().optional(),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must have three letters, such as EUR')
        .optional(),
    }),
    output: z.object({ organization: organizationFacts }),
    errors: ['ORGANIZATION_NOT_FOUND', 'TIMEZONE_UNKNOWN'],
    transaction: 'own',
  },
  create_token: {
    input: z.strictObject({
      organizationId: z.string(),
      name: z.string().trim().min(1).max(255),
      scopes: scopes.default(['read', 'write', 'send']),
      expiresAt: timestamp.nullable().default(null),
      selfConfirm: z.boolean().default(true),
    }),
    output: z.object({ token: apiToken, secret: z.string() }),
    errors: ['ORGANIZATION_NOT_FOUND'],
    transaction: 'write',
  },
  list_tokens: {
    input: z.strictObject({ organizationId: z.string() }),
    output: z.object({ tokens: z.array(apiToken) }),
    errors: ['ORGANIZATION_NOT_FOUND'],
    transaction: 'read',
  },
  revoke_token: {
    input: z.strictObject({ tokenId: z.string() }),
    output: z.object({ token: apiToken }),
    errors: ['TOKEN_NOT_FOUND'],
    transaction: 'own',
  },
  add_web_domain: {
    input: z.strictObject({ organizationId: z.string(), hostname: z.string().trim().min(1).max(255) }),
    output: z.object({ webDomain }),
    errors: ['ORGANIZATION_NOT_FOUND', 'DOMAIN_INVALID', 'WEB_DOMAIN_EXISTS'],
    transaction: 'write',
  },
  /** The sender's organization follows from its id. */
  set_default_sender: {
    input: z.strictObject({ senderId: z.string() }),
    output: z.object({ sender }),
    errors: ['SENDER_NOT_FOUND'],
    transaction: 'write',
  },
});
