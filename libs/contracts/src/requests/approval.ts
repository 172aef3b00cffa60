import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { approvalStates, approvalSubject, difference, fact, preview } from '../tools/approval.js';

const actor = z.strictObject({ kind: z.enum(['TOKEN', 'USER']), id: z.string() });

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
      count: z.int().min(0).optional(),
      preview: preview.nullish(),
      diff: z.array(difference).max(1_000).optional(),
    }),
    output: z.object({ approval }),
    errors: ['APPROVAL_TOO_LARGE', 'APPROVALS_TOO_MANY'],
    transaction: 'write',
  },
  /**
   * Asks again in the name of an approval's asker, since what was approved is not what would happen now. An approval of
   * the same call that was asked for after `since` is returned instead.
   */
  ask_approval_again: {
    input: z.strictObject({
      approvalId: z.string(),
      tool: z.string(),
      parameters: z.record(z.string(), z.unknown()),
      since: timestamp,
    }),
    output: z.object({ approval }),
    errors: ['APPROVAL_NOT_FOUND', 'APPROVALS_TOO_MANY', 'APPROVAL_TOO_LARGE'],
    transaction: 'own',
  },
});
