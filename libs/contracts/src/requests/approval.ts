import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { approvalStates, approvalSubject, difference, fact, preview } from '../tools/approval.js';

const actor = z.strictObject({ kind: z.enum(['TOKEN', 'USER']), id: z.string() });

/** A call that its caller may not confirm, as the operator and the asking gateway see it. */
export const approval = z.object({
  id: z.string(),
  organizationId: z.string(),
  /** The asker: a token or a user, and its name. */
  tokenId: z.string(),
  tokenName: z.string(),
  tool: z.string(),
  action: z.string(),
  message: z.string(),
  state: z.enum(approvalStates),
  askedAt: timestamp,
  decidedAt: timestamp.nullable(),
  /** Until when it may be decided, and once it is, until when that holds. */
  expiresAt: timestamp,
  note: z.string().nullable().optional(),
});
export type Approval = z.infer<typeof approval>;

const call = { actor, requestHash: z.string(), callId: z.string().nullable() };

/** Approvals of calls by a person; private to the gateway and the operator's command. */
export const approvalRequests = defineRequests('domain', {
  /** The approval in force for exactly this call, with the outcome once it was carried out; null when there is none. */
  find_approval: {
    input: z.strictObject(call),
    output: z.object({ approval: approval.nullable(), outcome: z.unknown().optional() }),
    errors: [],
    transaction: 'read',
  },
  /** Asks for an approval; while one is in force, it is that one. */
  ask_approval: {
    input: z.strictObject({
      ...call,
      tool: z.string(),
      parameters: z.record(z.string(), z.unknown()),
      action: z.string(),
      message: z.string().max(10_000),
      subject: approvalSubject.nullish(),
      facts: z.array(fact).max(100).optional(),
      content: z.unknown().optional(),
      preview: preview.nullish(),
      diff: z.array(difference).max(1_000).optional(),
    }),
    output: z.object({ approval }),
    errors: ['APPROVAL_TOO_LARGE', 'APPROVALS_TOO_MANY'],
    transaction: 'write',
  },
  /** Those that wait for a person, the oldest first; of all organizations when none is named. */
  list_approvals: {
    input: z.strictObject({ organizationId: z.string().optional() }),
    output: z.object({ approvals: z.array(approval) }),
    errors: [],
    transaction: 'read',
  },
  /** The operator's decision. Approving carries the call out. */
  decide_approval: {
    input: z.strictObject({ approvalId: z.string(), approved: z.boolean() }),
    output: z.object({ approval }),
    errors: ['APPROVAL_NOT_FOUND', 'APPROVAL_DECIDED', 'APPROVAL_CHANGED', 'ASKER_GONE'],
    transaction: 'own',
  },
});
