import { z } from 'zod';
import { emailText, filter, idText, timestamp } from '../common.js';
import { defineTools } from '../define.js';

export const explainVerdicts = [
  'RECEIVED',
  'SENT',
  'WILL_RECEIVE',
  'WAITING',
  'LEFT_OUT',
  'REFUSED',
  'IN_DOUBT',
  'NOT_IN_AUDIENCE',
  'RUNNING',
  'COMPLETED',
  'NOT_STARTED',
  'IN',
  'OUT',
] as const;
export type ExplainVerdict = (typeof explainVerdicts)[number];

const check = z.object({
  rule: z.string(),
  filter: filter.optional(),
  expected: z.string(),
  actual: z.string(),
  passed: z.boolean().nullable().describe('null if it cannot be known any more'),
  certainty: z
    .enum(['RECORDED', 'REWOUND', 'NOW'])
    .describe('RECORDED: stored at that time. REWOUND: computed from the history. NOW: known as of now only.'),
  at: timestamp,
  source: z.string(),
});
export type ExplainCheck = z.infer<typeof check>;

export const explainTools = defineTools('subscriber', {
  explain: {
    summary: 'Explains why a subscriber got a mail, entered a workflow or is in a segment, or why not.',
    category: 'subscribers',
    scope: 'read',
    rules: [
      'Give subscriberId or email, and exactly one of campaignId, workflowId, segmentId and messageId. messageId needs no subscriber.',
      'checks stand in the order of the decision; the first that did not pass decides.',
      'unknown names services that did not answer in time; their part of the explanation is missing.',
    ],
    input: z.strictObject({
      subscriberId: idText.optional(),
      email: emailText.optional(),
      campaignId: idText.optional(),
      workflowId: idText.optional(),
      segmentId: idText.optional(),
      messageId: idText.optional(),
    }),
    output: z.object({
      subscriberId: z.string().nullable(),
      verdict: z.enum(explainVerdicts),
      at: timestamp.describe('The instant that the verdict is about'),
      headline: z.string(),
      checks: z.array(check),
      nextPossibleAt: timestamp.nullable().describe('When the next attempt is due; null if none is'),
      actions: z.array(
        z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()), effect: z.string() }),
      ),
      unknown: z.array(z.string()),
    }),
    errors: [
      'EXPLAIN_TARGET',
      'SUBSCRIBER_NOT_FOUND',
      'IDENTIFIER_MISSING',
      'IDENTIFIERS_DISAGREE',
      'CAMPAIGN_NOT_FOUND',
      'WORKFLOW_NOT_FOUND',
      'SEGMENT_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'MESSAGE_IN_PROGRESS',
    ],
    transaction: 'own',
    keywords:
      'why did a person get it, why not received, reason, diagnose, matched the segment or not, in the workflow or not, stuck in a workflow',
    example: { email: 'hedy@example.com', campaignId: '{campaignId}' },
  },
});
