import { z } from 'zod';
import { idText, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';

/**
 * PENDING waits for a person; EXECUTING was approved and is being carried out; EXECUTED and FAILED hold the outcome;
 * REJECTED refuses the call for a day; WITHDRAWN was taken back by its asker. APPROVED is the former scheme's.
 */
export const approvalStates = [
  'PENDING',
  'EXECUTING',
  'EXECUTED',
  'FAILED',
  'REJECTED',
  'EXPIRED',
  'WITHDRAWN',
  'APPROVED',
] as const;

export const approvalSubject = z.object({
  noun: z.string(),
  id: z.string().nullable(),
  name: z.string(),
  updatedAt: timestamp.nullable(),
});
export const fact = z.object({ label: z.string(), value: z.string() });
/** A mail as a sample recipient would get it. */
export const preview = z.object({
  subject: z.string(),
  preview: z.string().nullable(),
  html: z.string(),
  text: z.string(),
  renderedFor: z.string().nullable(),
});
/** A change against what was last sent, published or saved; texts differ by lines. */
export const difference = z.object({ path: z.string(), before: z.unknown(), after: z.unknown() });

const listed = z.object({
  id: z.string(),
  state: z.enum(approvalStates),
  tool: z.string(),
  message: z.string(),
  subject: approvalSubject.nullable(),
  asker: z.object({ kind: z.enum(['TOKEN', 'USER']), id: z.string(), name: z.string() }),
  askedAt: timestamp,
  expiresAt: timestamp,
});
const whole = listed.extend({
  action: z.string(),
  parameters: z.record(z.string(), z.unknown()).nullable().describe('null for callers who may not see it'),
  facts: z.array(fact),
  preview: preview.nullable(),
  diff: z.array(difference),
  contentHash: z.string(),
  stale: z
    .boolean()
    .nullable()
    .describe('Whether approving would be refused because the content changed; null when it is not PENDING or unknown'),
  decidedAt: timestamp.nullable(),
  decidedBy: z.string().nullable(),
  note: z.string().nullable(),
  result: z.unknown().optional().describe('Of an executed call: its data, or its refusal'),
});

export const approvalTools = defineTools('domain', {
  list_approvals: {
    summary: 'Lists calls that wait for, or had, the approval of a person; the newest first.',
    category: 'members',
    scope: 'read',
    rules: ['pending counts those that wait in the whole organization.'],
    input: z.strictObject({
      states: z.array(z.enum(approvalStates)).max(8).optional(),
      mine: z.boolean().default(false).describe('Only those that the caller asked for'),
      cursor: idText.optional(),
      limit: pageSize(100, 20),
    }),
    output: z.object({ approvals: z.array(listed), pending: z.int(), nextCursor: z.string().nullable() }),
    errors: [],
    transaction: 'read',
    keywords: 'what waits for a decision, requests to approve, to be signed off, pending, who asked',
    example: {},
  },
  get_approval: {
    summary: 'Returns a call that needs approval: its parameters, a rendered preview, the changes and its state.',
    category: 'members',
    scope: 'read',
    rules: ['Only approvers, admins and the asker see more than the sentence.'],
    input: z.strictObject({ approvalId: idText }),
    output: z.object({ approval: whole }),
    errors: ['APPROVAL_NOT_FOUND'],
    transaction: 'read',
    keywords: 'show one request to approve, what would be sent, preview of a waiting call, has it been approved',
    example: { approvalId: '{approvalId}' },
  },
  decide_approval: {
    summary: 'Approves or rejects a call. Approving carries it out, in the name of the asker.',
    category: 'members',
    scope: 'approve',
    userOnly: true,
    rules: [
      'To approve, seen must be the contentHash that get_approval returned. If the content has changed since, the call is refused and the approval shows the new content.',
      'A rejection refuses the same call for a day; note is shown to the asker.',
    ],
    input: z.strictObject({
      approvalId: idText,
      approved: z.boolean(),
      seen: z.string().length(64).optional(),
      note: z.string().trim().max(1_000).optional(),
    }),
    output: z.object({ approval: whole, result: z.unknown().optional() }),
    errors: [
      'APPROVAL_NOT_FOUND',
      'APPROVAL_DECIDED',
      'APPROVAL_CHANGED',
      'APPROVAL_OWN',
      'ASKER_GONE',
      'ROLE_TOO_LOW',
      'PARAMETERS_INVALID',
    ],
    transaction: 'own',
    keywords: 'approve, reject, say yes or no, sign off, allow, decline a request, release',
    example: { approvalId: '{approvalId}', approved: false },
  },
  withdraw_approval: {
    summary: "Withdraws one of the caller's own calls from approval.",
    category: 'members',
    scope: 'write',
    input: z.strictObject({ approvalId: idText }),
    output: z.object({ withdrawn: z.literal(true) }),
    errors: ['APPROVAL_NOT_FOUND', 'APPROVAL_DECIDED'],
    transaction: 'write',
    keywords: 'withdraw my request, no longer needed, cancel what I asked to approve',
    example: { approvalId: '{ownApprovalId}' },
  },
});
