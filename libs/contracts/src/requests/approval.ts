import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';

/** PENDING waits for a person; APPROVED lets the same call through for five minutes; REJECTED refuses it for a day. */
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
  /** What holds for exactly this call now; null when nobody was asked, or that is over. */
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
