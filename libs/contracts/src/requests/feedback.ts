import { z } from 'zod';
import { defineRequests } from '../define.js';
import { bounceCategory, bounceType } from '../events/events.js';

/** Longer values name no message and no subscriber of this installation. */
export const traceLengthMax = 1_000;

const traces = {
  returnPath: z.string().max(traceLengthMax).nullable(),
  messageId: z.string().max(traceLengthMax).nullable(),
  address: z.string().max(traceLengthMax).nullable(),
};

/** `text`: the response of the receiving server; null codes are read from it. */
export const providerReport = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('DELIVERED'), ...traces }),
  z.object({ kind: z.literal('DELAYED'), ...traces, text: z.string().max(10_000) }),
  z.object({
    kind: z.literal('BOUNCED'),
    ...traces,
    text: z.string().max(10_000),
    status: z.string().nullable(),
    /** What the provider itself makes of it, where codes and words say nothing. */
    type: bounceType.nullable(),
    category: bounceCategory.nullable(),
  }),
  z.object({ kind: z.literal('COMPLAINED'), ...traces, feedbackType: z.string().nullable(), provider: z.string() }),
]);
export type ProviderReport = z.infer<typeof providerReport>;

/**
 * `recorded`: it changed or added data. `nothing`: its message has a final state, or it names none. `unknown`: no
 * message here matches. `later`: the message's delivery attempt is still running.
 */
export const feedbackOutcome = z.enum(['recorded', 'nothing', 'unknown', 'later']);
export type FeedbackOutcome = z.infer<typeof feedbackOutcome>;

/** Number of reports by outcome; those under `later` must be sent again. */
const outcomes = z.object({ recorded: z.int(), unknown: z.int(), later: z.int() });

export const feedbackRequests = defineRequests('delivery', {
  record_provider_reports: {
    input: z.strictObject({ reports: z.array(providerReport).max(1000) }),
    output: outcomes,
    errors: [],
    transaction: 'own',
  },
  /** A bounce or report of abuse as it came by mail; at most 512 KB of it. */
  record_mail_report: {
    input: z.strictObject({ raw: z.string().max(700_000).describe('base64') }),
    output: outcomes,
    errors: [],
    transaction: 'own',
  },
  /** A bounce that came to a return path at the door of another cell: only that path names the message. */
  take_bounce: {
    input: z.strictObject({ raw: z.string().max(700_000).describe('base64'), returnPath: z.string() }),
    output: z.object({ outcome: feedbackOutcome }),
    errors: [],
    transaction: 'own',
  },
});
