import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineTools } from '../define.js';

const verdict = z.enum(['OK', 'WARN', 'CRITICAL']);

const judgement = z.object({
  metric: z.enum(['complaintRate', 'bounceRate', 'dns', 'alignment', 'unsubscribeLatency', 'content']),
  value: z
    .number()
    .describe('A fraction for rates, seconds for the latency, else the number of domains or campaigns with a problem'),
  threshold: z.number().describe('The threshold that was crossed; for OK, the WARN threshold'),
  verdict,
  advice: z.string(),
});
export type Judgement = z.infer<typeof judgement>;

/** Without sinceDays the score, with it the report; one object, since some callers support no alternatives. */
const health = z.object({
  trustScore: z.int().min(0).max(100).optional(),
  level: z.enum(['LOW', 'MEDIUM', 'HIGH']).optional(),
  signals: z.array(judgement).optional(),
  window: z.object({ sinceDays: z.int(), from: timestamp, to: timestamp }).optional(),
  sent: z.int().optional().describe('Messages that a mail server accepted or rejected'),
  delivered: z.int().optional(),
  bounced: z.int().optional(),
  complained: z.int().optional(),
  rates: z.object({ delivery: z.number(), bounce: z.number(), complaint: z.number() }).optional(),
  verdicts: z.array(judgement).optional(),
});

export const deliverabilityTools = defineTools('delivery', {
  get_deliverability_health: {
    summary:
      "Returns the sender's deliverability: an all-time trust score or, with sinceDays, a report for that period with verdicts and advice.",
    category: 'deliverability',
    scope: 'read',
    rules: [
      'Rates are fractions: bounced / sent, complained / delivered, delivered / sent. sent counts messages that a mail server accepted or rejected. bounced counts messages rejected permanently or returned later.',
      'Complaints: WARN from 0.001, CRITICAL from 0.003. Bounces: WARN from 0.02, CRITICAL from 0.05. The large mailbox providers use these thresholds.',
      'The window is the current day in UTC and the sinceDays days before it. It excludes messages to test addresses.',
      'With fewer than 100 messages, the score counts bounces and complaints as if there were 100.',
      'Tidings pauses a campaign once its first thousand results contain 50 bounces or 3 complaints. Smaller campaigns are paused at 5 % bounces, at least 20, or at 3 complaints. Tidings does not pause a resumed campaign again.',
    ],
    input: z.strictObject({ sinceDays: z.int().min(1).max(365).optional() }),
    output: health,
    errors: [],
    transaction: 'own',
    core: true,
    brief:
      "Returns the deliverability of the organization's mail: an all-time trust score or, with sinceDays, a report for that period with verdicts and advice. Rates are fractions. Complaints: WARN from 0.001, CRITICAL from 0.003. Bounces: WARN from 0.02, CRITICAL from 0.05.",
    keywords:
      'spam folder, reputation, land in junk, bounces and complaints, problems, blocked by Gmail, arrive, trust score, sender score',
    example: { sinceDays: 30 },
  },
});
