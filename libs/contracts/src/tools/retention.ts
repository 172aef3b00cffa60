import { z } from 'zod';
import { defineTools } from '../define.js';
import { expiredCountedMax, retainedData, retainedNames } from '../retention.js';
import type { RetainedData } from '../retention.js';

const output = z.object({
  retention: z.array(
    z.object({
      data: z.enum(retainedNames),
      period: z.int().nullable().describe('Months that the organization has set; null: as the installation'),
      installation: z.int().nullable().describe('Months; null: without limit'),
      min: z.int().describe('Shortest period, in months'),
      deletesNow: z.int().describe(`Rows that are deleted in the next night, counted up to ${expiredCountedMax}`),
    }),
  ),
});

const periodOf = (data: RetainedData) =>
  z
    .int()
    .min(1)
    .max(1200)
    .nullable()
    .optional()
    .describe(`Months, from ${retainedData[data].min} on; null: as the installation`);

const rule =
  'Data messages: recipients of sends and their links. Data onlineVersions: content of ended sends. Data campaignActivity: who received, opened and clicked a campaign. Data subscriberEvents: history of subscribers. Data runs: ended runs of workflows and their history.';

export const retentionTools = defineTools('domain', {
  get_retention: {
    summary: 'Returns how long data of the organization is kept, and how much is deleted in the next night.',
    category: 'settings',
    scope: 'read',
    rules: [rule, 'Counts of campaigns, hours, links and days, of steps and goals stay.'],
    input: z.strictObject({}),
    output,
    errors: [],
    transaction: 'own',
    keywords: 'data retention, how long data is kept, deletion of old data, privacy, storage limitation',
    example: {},
  },
  set_retention: {
    summary: 'Sets for how many months data of the organization is kept. Older data is deleted by night.',
    category: 'settings',
    scope: 'admin',
    confirm: true,
    destructive: true,
    idempotent: true,
    rules: [
      rule,
      'Omitted data keep their period. A period may not be longer than that of the installation.',
      'Whole months go: what happened in a month that ended longer ago than the period. Counts stay; what is in progress stays.',
    ],
    input: z.strictObject({
      messages: periodOf('messages'),
      onlineVersions: periodOf('onlineVersions'),
      campaignActivity: periodOf('campaignActivity'),
      subscriberEvents: periodOf('subscriberEvents'),
      runs: periodOf('runs'),
    }),
    output,
    errors: ['RETENTION_RANGE', 'NOTHING_TO_CHANGE'],
    transaction: 'own',
    keywords: 'delete old data, shorten retention, data minimisation, storage period',
    example: { runs: 12 },
  },
});
