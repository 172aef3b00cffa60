import { z } from 'zod';
import { filters } from '../common.js';
import { defineRequests } from '../define.js';

/** Subscribers that match but may not be sent to, by status or suppression entry, with some of them. */
export const excludedRecipients = z.array(
  z.object({
    reason: z.string(),
    count: z.int(),
    examples: z.array(z.object({ subscriberId: z.string(), email: z.string() })),
  }),
);

/** The domains of the recipients with the most of them, and how many domains there are in all. */
export const destinations = z.object({
  domains: z.array(z.object({ domain: z.string(), count: z.int() })),
  total: z.int(),
});

export const audiencePreviewRequests = defineRequests('subscriber', {
  /** Counts who would be frozen into an audience now and who would be left out, on one snapshot; writes nothing. */
  preview_audience: {
    input: z.strictObject({ filters, examples: z.int().min(0).max(10) }),
    output: z.object({
      total: z.int(),
      excluded: excludedRecipients,
      destinations,
      warnings: z.array(z.string()),
    }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'],
    transaction: 'read',
  },
});

export const sendRateRequests = defineRequests('delivery', {
  /** Recipients a second of the fastest of the organization's newest sends; null without one of 100 recipients. */
  get_send_rate: {
    input: z.strictObject({}),
    output: z.object({ ratePerSecond: z.number().nullable() }),
    errors: [],
    transaction: 'read',
  },
});
