import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';

/** PENDING waits for a user; APPROVED admits the same call for five minutes; REJECTED refuses it for a day. */
export const approvalStates = ['PENDING', 'APPROVED', 'REJECTED'] as const;

/** A call that a token may not confirm by itself, and what a person said of it. */
export const approval = z.object({
  id: z.string(),
  organizationId: z.string(),
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
});
export type Approval = z.infer<typeof approval>;

const call = { tokenId: z.string(), requestHash: z.string() };

/** Approvals of calls by a person. */
export const approvalRequests = defineRequests('domain', {
  /** The approval in force for exactly this call; null when none was requested or it has expired. */
  find_approval: {
    input: z.strictObject(call),
    output: z.object({ approval: approval.nullable() }),
    errors: [],
    transaction: 'read',
  },
  /** Asks for an approval; while one holds, it is that one. */
  ask_approval: {
    input: z.strictObject({ ...call, tool: z.string(), action: z.string(), message: z.string().max(10_000) }),
    output: z.object({ approval }),
    errors: [],
    transaction: 'write',
  },
  /** Those that wait for a person, the oldest first; of all organizations when none is named. */
  list_approvals: {
    input: z.strictObject({ organizationId: z.string().optional() }),
    output: z.object({ approvals: z.array(approval) }),
    errors: [],
    transaction: 'read',
  },
  decide_approval: {
    input: z.strictObject({ approvalId: z.string(), approved: z.boolean() }),
    output: z.object({ approval }),
    errors: ['APPROVAL_NOT_FOUND', 'APPROVAL_DECIDED'],
    transaction: 'write',
  },
});
