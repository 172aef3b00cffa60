import { z } from 'zod';
import { defineTools } from '../define.js';

const byStatus = z.record(z.string(), z.int());
const growth = z.object({ subscribed: z.int(), unsubscribed: z.int(), net: z.int() });
export type Growth = z.infer<typeof growth>;

export const analyticsTools = defineTools('subscriber', {
  get_org_stats: {
    summary:
      "Returns the organization's key figures: subscribers by status, campaigns with their rates, and resources.",
    category: 'analytics',
    scope: 'read',
    rules: ['Rates are fractions, averaged over the campaigns with at least one delivery.'],
    input: z.strictObject({}),
    output: z.object({
      subscribers: z.object({ total: z.int(), byStatus }),
      campaigns: z.object({
        total: z.int(),
        byStatus,
        sent: z.int(),
        averageOpenRate: z.number(),
        averageClickRate: z.number(),
      }),
      resources: z.object({
        tags: z.int(),
        segments: z.int(),
        workflows: z.int(),
        snippets: z.int(),
        customFields: z.int(),
      }),
    }),
    errors: [],
    transaction: 'read',
    core: true,
    keywords:
      'overall numbers, dashboard, totals, account overview, how are we doing, key figures, average open rate, summary, performance',
    example: {},
  },
  get_subscriber_growth: {
    summary:
      "Returns subscriptions, unsubscriptions and net growth for each of the last days, in the organization's time zone.",
    category: 'analytics',
    scope: 'read',
    rules: ['The last day is today and still incomplete. A resubscription counts as a subscription.'],
    input: z.strictObject({ days: z.int().min(1).max(366).default(30) }),
    output: z.object({ days: z.array(growth.extend({ date: z.iso.date() })), totals: growth }),
    errors: [],
    transaction: 'read',
    keywords: 'growing, shrinking, new sign-ups per day, week, month, trend over time, gained and lost, list size',
    example: { days: 7 },
  },
  get_subscriber_stats: {
    summary: 'Returns subscriber counts by status, growth over 7, 30 and 90 days, and engagement.',
    category: 'analytics',
    scope: 'read',
    rules: [
      "Days are those of the organization's time zone, including today.",
      'An engaged subscriber opened or clicked within the last 30, 90 or 180 days (UTC).',
    ],
    input: z.strictObject({}),
    output: z.object({
      total: z.int(),
      byStatus,
      growth: z.object({ '7d': growth, '30d': growth, '90d': growth }),
      engagement: z.object({
        engaged: z.object({ '30d': z.int(), '90d': z.int(), '180d': z.int() }),
        everEngaged: z.int(),
        everEmailed: z.int(),
        neverEmailed: z.int(),
      }),
    }),
    errors: [],
    transaction: 'read',
    keywords:
      'engagement, active readers, how engaged, inactive, opens and clicks of the list, audience overview, health of the list',
    example: {},
  },
});
