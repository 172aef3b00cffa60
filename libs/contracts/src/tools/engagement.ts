import { z } from 'zod';
import { defineTools } from '../define.js';
import { series, seriesRange } from '../series.js';

/** The kinds of mail that a series can count alone; test mail is in none. */
export const engagementKinds = ['CAMPAIGN', 'WORKFLOW', 'TRANSACTIONAL'] as const;
export type EngagementKind = (typeof engagementKinds)[number];

export const engagementTools = defineTools('delivery', {
  get_engagement_series: {
    summary: "Returns the results of an organization's mail by hour or day in its time zone, with zeros for gaps.",
    category: 'analytics',
    scope: 'read',
    rules: [
      'Without kind, mail of every kind counts. Without from, the series begins 30 days before its end; without to, it ends now.',
      'Numbers are kept for 400 days and counted since the version with this tool. At most 1,000 points are returned.',
    ],
    input: z.strictObject({ ...seriesRange, kind: z.enum(engagementKinds).optional() }),
    output: series,
    errors: ['RANGE_TOO_LONG', 'PARAMETERS_INVALID'],
    transaction: 'own',
    keywords: 'opens and clicks over time, chart of all mail, daily volume, engagement trend, sent per day, graph',
    example: { interval: 'DAY', kind: 'CAMPAIGN' },
  },
});
