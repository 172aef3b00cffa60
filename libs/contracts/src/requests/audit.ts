import { z } from 'zod';
import { defineRequests } from '../define.js';
import { actorKinds } from '../tools/member.js';

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

export const auditRequests = defineRequests('domain', {
  record_audit: {
    input: z.strictObject({ entries: z.array(auditEntry).max(1000) }),
    output: z.object({}),
    errors: [],
    transaction: 'read',
  },
  /** A part of an exported log, as text: rows after `after`, the newest first; null when the export is over. */
  read_audit_export: {
    input: z.strictObject({ exportId: z.string(), after: z.string().nullable() }),
    output: z.object({
      part: z
        .object({ name: z.string(), text: z.string(), next: z.string().nullable().describe('null at the end') })
        .nullable(),
    }),
    errors: [],
    transaction: 'read',
  },
});
