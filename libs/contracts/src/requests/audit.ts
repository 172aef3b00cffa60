import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { actorKinds } from '../tools/member.js';

/** One call that changed something, or was to. */
export const auditEntry = z.object({
  /** Made by the process that received the call; its time is the call's. */
  id: z.string(),
  organizationId: z.string(),
  /** Null for a user. */
  tokenId: z.string().nullable(),
  /** Absent from gateways of an older version: then the token. */
  actor: z.object({ kind: z.enum(actorKinds), id: z.string() }).optional(),
  sessionId: z.string().nullish(),
  ip: z.string().max(60).nullish(),
  /** The user who approved the call. */
  approvedBy: z.string().nullish(),
  /** A tool, an endpoint of v1, or what a user did with a session (`sign_in`). */
  tool: z.string().max(100),
  /** The record that the call named, or made. */
  target: z.string().max(320).nullable(),
  source: z.enum(['tools', 'v1', 'mcp', 'session']),
  /** OK, or the reason of the refusal. */
  outcome: z.string().max(60),
  requestId: z.string().max(200),
});
export type AuditEntry = z.infer<typeof auditEntry>;

/** Who did what, for the operator. */
export const auditRequests = defineRequests('domain', {
  /** Writes entries down; those that are there already stay as they are. */
  record_audit: {
    input: z.strictObject({ entries: z.array(auditEntry).max(1000) }),
    output: z.object({}),
    errors: [],
    transaction: 'read',
  },
  /** The newest first. */
  list_audit: {
    input: z.strictObject({
      organizationId: z.string(),
      tokenId: z.string().optional(),
      tool: z.string().optional(),
      since: timestamp.optional(),
      limit: z.int().min(1).max(10_000).default(100),
    }),
    output: z.object({
      entries: z.array(
        auditEntry.extend({
          at: timestamp,
          /** Name of the token or user. */
          tokenName: z.string().nullable(),
          approverName: z.string().nullish(),
        }),
      ),
    }),
    errors: ['ORGANIZATION_NOT_FOUND'],
    transaction: 'read',
  },
});
