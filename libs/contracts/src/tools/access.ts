import { z } from 'zod';
import { idText, nextCursor, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { allScopes } from '../scope.js';
import { instant } from '../series.js';
import { toolsets as allToolsets } from '../toolset.js';
import { actorKinds } from './member.js';

/**
 * ORGANIZATION belongs to the organization; PERSONAL has at most the rights of its maker, and ends with the membership.
 */
export const tokenKinds = ['ORGANIZATION', 'PERSONAL'] as const;

const scopes = z.array(z.enum(allScopes)).min(1).max(allScopes.length);
const toolsets = z.array(z.enum(allToolsets)).min(1).max(allToolsets.length);
const tokenName = z.string().trim().min(1).max(255);

export const accessToken = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(tokenKinds),
  lastFour: z.string(),
  scopes,
  toolsets: z.array(z.string()).nullable().describe('null: every tool of its scopes'),
  selfConfirm: z.boolean(),
  createdBy: z.object({ id: z.string(), name: z.string() }).nullable().describe("null: the operator's command"),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
});

const byId = { tokenId: idText };
/**
 * Whose token it is decides the domain service: without the scope `admin`, callers reach their own PERSONAL tokens, and
 * tokens themselves.
 */
const own = { scope: 'read', appliesTo: () => true } as const;
const ownRule = 'Callers without the scope admin reach their own PERSONAL tokens only; a token reaches itself.';
const secretRule = 'The secret is shown this once. The call is not remembered by an Idempotency-Key.';
const secret = z.string().describe('The token itself; shown this once');

const auditFilter = {
  actorId: idText.optional().describe('A tok_ or usr_ id'),
  tool: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('A tool, an endpoint of v1, or an action such as sign_in'),
  target: z.string().trim().min(1).max(320).optional(),
  outcome: z.string().trim().min(1).max(60).optional().describe('OK, or the reason of a refusal'),
  source: z.enum(['tools', 'v1', 'mcp', 'session']).optional(),
  since: instant.optional(),
  until: instant.optional(),
};

const auditedCall = z.object({
  id: z.string(),
  at: timestamp,
  actor: z.object({ kind: z.enum(actorKinds), id: z.string(), name: z.string().nullable() }),
  tool: z.string(),
  target: z.string().nullable(),
  source: z.enum(['tools', 'v1', 'mcp', 'session']),
  outcome: z.string(),
  requestId: z.string(),
  sessionId: z.string().nullable(),
  ip: z.string().nullable().describe('null after 90 days'),
  approvedBy: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
});

export const accessTools = defineTools('domain', {
  create_api_token: {
    summary: 'Creates an API token and returns its secret.',
    category: 'access',
    scope: 'admin',
    lighter: { scope: 'read', appliesTo: ({ kind }) => kind === 'PERSONAL' },
    userOnly: true,
    recentSignIn: true,
    rules: [
      'Without expiresAt it ends after 90 days, or after tokenDaysMax if that is less; null is never. No token holds approve; only owners grant admin.',
      'A PERSONAL token has at most the rights of its maker at any time, asks where their role does, and ends with their membership.',
      'toolsets narrows it to groups of tools. With selfConfirm false, a member must approve what asks first.',
      secretRule,
    ],
    brief:
      'Creates an API token and returns its secret, which is shown this once. Without expiresAt it ends after 90 days. A PERSONAL token has at most the rights of its maker and ends with their membership.',
    input: z.strictObject({
      name: tokenName,
      scopes,
      expiresAt: instant.nullable().optional(),
      selfConfirm: z.boolean().default(true),
      toolsets: toolsets.optional(),
      kind: z.enum(tokenKinds).default('ORGANIZATION'),
    }),
    output: z.object({ token: accessToken, secret }),
    errors: ['SCOPE_TOO_HIGH', 'TOKENS_TOO_MANY', 'USER_REQUIRED', 'ROLE_TOO_LOW', 'PARAMETERS_INVALID'],
    // Not remembered by its call id: the stored answer would hold the secret.
    transaction: 'read',
    keywords: 'API key, access key, new token, connect a program, credentials for a script, bearer, machine account',
    example: { name: 'Nightly report', scopes: ['read'] },
  },
  list_api_tokens: {
    summary: 'Lists the API tokens of the organization, the newest first.',
    category: 'access',
    scope: 'admin',
    lighter: own,
    rules: [ownRule, 'Expired and revoked tokens are listed with includeEnded.'],
    input: z.strictObject({ includeEnded: z.boolean().default(false) }),
    output: z.object({ tokens: z.array(accessToken) }),
    errors: [],
    transaction: 'read',
    keywords: 'API keys, which programs have access, credentials, expiring tokens, when was a key last used',
    example: {},
  },
  update_api_token: {
    summary: 'Renames an API token, or narrows its scopes, its toolsets or its life.',
    category: 'access',
    scope: 'admin',
    lighter: own,
    idempotent: true,
    rules: ['Rights only become narrower: create another token for more.', ownRule],
    input: z.strictObject({
      ...byId,
      name: tokenName.optional(),
      scopes: scopes.optional(),
      toolsets: toolsets.optional(),
      expiresAt: instant.optional(),
    }),
    output: z.object({ token: accessToken }),
    errors: ['TOKEN_NOT_FOUND', 'TOKEN_ENDED', 'SCOPE_TOO_HIGH', 'NOTHING_TO_CHANGE', 'PARAMETERS_INVALID'],
    transaction: 'own',
    keywords: 'rename an API key, narrow the rights of a key, shorten its life, restrict a token',
    example: { tokenId: '{spareTokenId}', name: 'Weekly report' },
  },
  rotate_api_token: {
    summary: 'Replaces the secret of an API token; its id and its rights stay.',
    category: 'access',
    scope: 'admin',
    lighter: own,
    recentSignIn: true,
    rules: [
      'The former secret works for overlapHours more. The end of the token stays.',
      'A token rotates only itself. ' + ownRule.split(';')[0] + '.',
      secretRule,
    ],
    input: z.strictObject({ ...byId, overlapHours: z.int().min(0).max(168).default(24) }),
    output: z.object({ token: accessToken, secret, oldEndsAt: timestamp }),
    errors: ['TOKEN_NOT_FOUND', 'TOKEN_ENDED', 'USER_REQUIRED'],
    transaction: 'read',
    keywords: 'renew an API key, new secret, replace credentials, key roll-over, leaked token',
    example: { tokenId: '{tokenId}' },
  },
  revoke_api_token: {
    summary: 'Revokes an API token at once.',
    category: 'access',
    scope: 'admin',
    lighter: own,
    destructive: true,
    idempotent: true,
    rules: [ownRule],
    input: z.strictObject(byId),
    output: z.object({ token: accessToken }),
    errors: ['TOKEN_NOT_FOUND'],
    transaction: 'own',
    keywords: 'delete an API key, block a token, take access away from a program, stolen key',
    example: { tokenId: '{spareTokenId}' },
  },
  list_audit_entries: {
    summary: 'Lists calls that changed something or were to, and sign-ins: who, what, when; the newest first.',
    category: 'access',
    scope: 'admin',
    rules: ['Entries are kept for 400 days, addresses of clients for 90.'],
    input: z.strictObject({ ...auditFilter, limit: pageSize(100, 50), cursor: idText.optional() }),
    output: z.object({ entries: z.array(auditedCall), nextCursor }),
    errors: ['PARAMETERS_INVALID'],
    transaction: 'read',
    keywords: 'who changed this, audit log, audit trail, who did what, sign-in log, log-in attempts, security log',
    example: { tool: 'create_campaign', limit: 20 },
  },
  export_audit_log: {
    summary: 'Returns a link to the audit log as a CSV or JSON file.',
    category: 'access',
    scope: 'admin',
    recentSignIn: true,
    rules: [
      'The link works for 15 minutes without a token. The file holds the entries that exist now, the newest first.',
      'CSV cells that a spreadsheet would take for a formula begin with an apostrophe.',
    ],
    input: z.strictObject({ ...auditFilter, format: z.enum(['CSV', 'JSON']).default('CSV') }),
    output: z.object({ downloadUrl: z.string(), expiresAt: timestamp }),
    errors: [],
    transaction: 'own',
    keywords: 'download the audit log, file of all changes, evidence for auditors, compliance report',
    example: { format: 'CSV' },
  },
});
