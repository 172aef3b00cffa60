import { z } from 'zod';
import { filters, idText, subscriberStatus, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { openExportsMax } from '../limits.js';
import { subscriber } from './subscriber.js';

const tagByName = z.string().trim().min(1).max(64).optional().describe('A tag name, compared without case');
/** The columns of a file; customFields adds one column per field. */
export const exportFields = ['email', 'name', 'phone', 'status', 'tags', 'customFields', 'createdAt'] as const;
const csvRules = [
  'CSV follows RFC 4180. An apostrophe precedes each text that a spreadsheet would read as a formula.',
  'Columns: email, name, phone, status, tags (joined by ", "), custom fields by name, createdAt.',
];

const exportState = {
  exportId: z.string(),
  status: z.enum(['QUEUED', 'RUNNING', 'DONE', 'FAILED']),
  rows: z.int().describe('Number of subscribers written so far'),
  progress: z.number().min(0).max(1),
  createdAt: timestamp,
  failure: z.string().optional(),
  downloadUrl: z.string().optional().describe('Requires no token'),
  expiresAt: timestamp.optional().describe('Expiry of downloadUrl; another call returns a new URL'),
};

export const exportTools = defineTools('subscriber', {
  export_subscribers: {
    summary: 'Returns up to 10,000 subscribers at once as JSON or CSV, newest first.',
    category: 'transfer',
    scope: 'read',
    rules: [...csvRules, 'For more subscribers or for filters, use create_subscriber_export.'],
    input: z.strictObject({
      status: subscriberStatus.optional(),
      tag: tagByName,
      format: z.enum(['json', 'csv']).default('json'),
      limit: z.int().min(1).max(10_000).default(1000),
    }),
    output: z.object({
      format: z.enum(['json', 'csv']),
      count: z.int(),
      truncated: z.boolean(),
      subscribers: z
        .array(
          subscriber.pick({
            email: true,
            name: true,
            phone: true,
            status: true,
            tags: true,
            customFields: true,
            createdAt: true,
          }),
        )
        .optional(),
      csv: z.string().optional(),
    }),
    errors: ['TAG_NOT_FOUND'],
    transaction: 'read',
    keywords: 'get contacts out, csv, excel, spreadsheet, table, download people, list as a file, small, now',
    example: { status: 'SUBSCRIBED', format: 'csv' },
  },
  create_subscriber_export: {
    summary: 'Starts an export of any number of subscribers to a CSV file.',
    category: 'transfer',
    scope: 'write',
    rules: [
      ...csvRules,
      'Poll get_subscriber_export until the status is DONE. The file is kept for 7 days.',
      'fields selects columns; without it, all columns are written.',
      `At most ${openExportsMax} exports are open at a time. Processing rotates through the organizations.`,
    ],
    input: z.strictObject({
      filters: filters.default([]),
      query: z.string().max(255).optional().describe('Substring of email, name or tag name, without case'),
      status: z.enum(['ALL', ...subscriberStatus.options]).default('ALL'),
      tag: tagByName,
      fields: z.array(z.enum(exportFields)).min(1).max(exportFields.length).optional(),
    }),
    output: z.object({ exportId: z.string(), status: exportState.status }),
    errors: ['TAG_NOT_FOUND', 'FILTERS_INVALID', 'FILTER_TARGET_GONE', 'LIMIT_REACHED'],
    transaction: 'own',
    keywords:
      'big file of all contacts, dump, download everything, backup of the list, csv in the background, prepare, start, job',
    example: { status: 'SUBSCRIBED' },
  },
  get_subscriber_export: {
    summary: 'Returns the status of an export and, once it is DONE, its download URL.',
    category: 'transfer',
    scope: 'read',
    input: z.strictObject({ exportId: idText }),
    output: z.object(exportState),
    errors: ['EXPORT_NOT_FOUND'],
    transaction: 'read',
    keywords: 'is my file ready, download link, state of a dump, finished, csv, job',
    example: { exportId: '{exportId}' },
  },
  list_subscriber_exports: {
    summary: 'Lists the 10 most recent exports, newest first.',
    category: 'transfer',
    scope: 'read',
    input: z.strictObject({}),
    output: z.object({ exports: z.array(z.object(exportState)) }),
    errors: [],
    transaction: 'read',
    keywords: 'earlier dumps, files made recently, past downloads, csv jobs, prepared files',
    example: {},
  },
});
