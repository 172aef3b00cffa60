import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineTools } from '../define.js';

const verdict = z.enum(['OK', 'WARN', 'CRITICAL']);

/** One thing that receivers judge senders by, measured. */
const judgement = z.object({
  metric: z.enum(['complaintRate', 'bounceRate', 'dns', 'alignment', 'unsubscribeLatency', 'content']),
  value: z
    .number()
    .describe('A fraction for rates, seconds for the latency, else the number of domains or campaigns with a problem'),
  threshold: z.number().describe('The line that was crossed; for OK the one from which on it is WARN'),
  verdict,
  advice: z.string(),
});
export type Judgement = z.infer<typeof judgement>;

/** Without sinceDays the score, with it the report; one object, since some callers know no alternatives. */
const health = z.object({
  trustScore: z.int().min(0).max(100).optional(),
  level: z.enum(['LOW', 'MEDIUM', 'HIGH']).optional(),
  signals: z.array(judgement).optional(),
  window: z.object({ sinceDays: z.int(), from: timestamp, to: timestamp }).optional(),
  sent: z.int().optional().describe('Messages that a mail server took or refused'),
  delivered: z.int().optional(),
  bounced: z.int().optional(),
  complained: z.int().optional(),
  rates: z.object({ delivery: z.number(), bounce: z.number(), complaint: z.number() }).optional(),
  verdicts: z.array(judgement).optional(),
});

/** How receivers are likely to see the organization. */
export const deliverabilityTools = defineTools('delivery', {
  get_deliverability_health: {
    summary:
      'Tells how receivers are likely to see this sender: an all-time trust score, or with sinceDays a report of that time with verdicts and advice.',
    category: 'deliverability',
    scope: 'read',
    rules: [
      'Rates are fractions: bounced / sent, complained / delivered, delivered / sent. sent counts what a mail server took or refused; bounced what was refused for good at once or came back later.',
      'Complaints: WARN from 0.001, CRITICAL from 0.003. Bounces: WARN from 0.02, CRITICAL from 0.05. These are the lines of the large mailbox providers.',
      'The window is the current day in UTC and the sinceDays days before it. Messages to test addresses are left out.',
      'The score of fewer than 100 messages counts their bounces and complaints as if they were of 100.',
      'A campaign is paused by itself once its first thousand results hold 50 bounces or 3 complaints (of smaller campaigns: 5 %, at least 20, and 3); resuming it is a decision that stands.',
    ],
    input: z.strictObject({ sinceDays: z.int().min(1).max(365).optional() }),
    output: health,
    errors: [],
    transaction: 'own',
    example: { sinceDays: 30 },
  },
});
