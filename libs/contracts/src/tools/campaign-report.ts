import { z } from 'zod';
import { idText, nextCursor, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { destinations, excludedRecipients } from '../requests/send-preview.js';
import { series, seriesRange } from '../series.js';
import { campaignStatus, campaignStatuses, campaignSummary } from './campaign.js';

/** The results of a campaign in a list; opened and clicked count subscribers. */
const results = z.object({
  sent: z.int(),
  delivered: z.int(),
  opened: z.int(),
  clicked: z.int(),
  unsubscribed: z.int(),
  bounced: z.int(),
  complained: z.int(),
});

export const campaignSorts = ['createdAt', 'updatedAt', 'scheduledAt', 'startedAt', 'name', 'sent', 'opened'] as const;

export const campaignReportTools = defineTools('campaign', {
  search_campaigns: {
    summary: 'Searches campaigns by status and text and returns them with their results, sorted, by cursor.',
    category: 'campaigns',
    scope: 'read',
    rules: [
      'Without statuses, ARCHIVED campaigns are left out. Campaigns without a value to sort by come last.',
      'counts holds the number of campaigns of each status that match query.',
    ],
    input: z.strictObject({
      query: z.string().max(255).optional().describe('Substring of name or subject, without case'),
      statuses: z.array(campaignStatus).min(1).max(campaignStatuses.length).optional(),
      sort: z.enum(campaignSorts).default('createdAt'),
      order: z.enum(['ASC', 'DESC']).default('DESC'),
      cursor: z
        .string()
        .max(2_000)
        .optional()
        .describe('nextCursor of the previous page, with the same sort and order'),
      limit: pageSize(100, 20),
    }),
    output: z.object({
      campaigns: z.array(campaignSummary.extend({ recipientCount: z.int().nullable(), results })),
      total: z.int(),
      counts: z.partialRecord(campaignStatus, z.int()),
      nextCursor,
    }),
    errors: ['PARAMETERS_INVALID'],
    transaction: 'read',
    keywords: 'find newsletters, sort by results, filter mailings',
    example: { query: 'spring', sort: 'name', order: 'ASC', limit: 10 },
  },
  get_campaign_series: {
    summary: "Returns a campaign's results by hour or day in the organization's time zone, with zeros for gaps.",
    category: 'campaigns',
    scope: 'read',
    rules: [
      'Without from and to, the series reaches from the first number to the last. At most 1,000 points are returned.',
      'The points sum to get_campaign_analytics. Hours that an earlier version counted have opens and clicks only.',
    ],
    input: z.strictObject({ campaignId: idText, ...seriesRange }),
    output: series,
    errors: ['CAMPAIGN_NOT_FOUND', 'RANGE_TOO_LONG', 'PARAMETERS_INVALID'],
    transaction: 'own',
    keywords: 'chart, graph, over time, hourly, daily, opens per day, trend of a newsletter',
    example: { campaignId: '{campaignId}', interval: 'DAY' },
  },
  preview_send: {
    summary:
      'Returns what a send of a campaign would do: its recipients, the excluded subscribers by reason, and problems.',
    category: 'campaigns',
    scope: 'read',
    rules: [
      'excluded counts subscribers who match the filters and may not receive marketing mail, with up to `examples` of each reason.',
      'warnings holds what would refuse or fail the send, and the warnings of its content.',
      'destinations names the 20 largest domains. duration is estimated from earlier sends; null without one.',
    ],
    input: z.strictObject({ campaignId: idText, examples: z.int().min(0).max(10).default(0) }),
    output: z.object({
      message: z.string().describe('The sentence that schedule_campaign asks to confirm'),
      recipientCount: z.int(),
      excluded: excludedRecipients,
      waves: z.array(z.object({ at: timestamp, count: z.int() })),
      relays: z.array(
        z.object({
          relayId: z.string(),
          count: z.int(),
          days: z.array(z.object({ date: z.iso.date(), count: z.int() })),
        }),
      ),
      destinations,
      duration: z.object({ seconds: z.int().nullable(), ratePerSecond: z.number().nullable() }),
      warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    }),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_DRAFT', 'FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'],
    transaction: 'own',
    keywords: 'who will get it, how many people, excluded and why, before sending, estimate the audience',
    example: { campaignId: '{campaignId}', examples: 3 },
  },
});
