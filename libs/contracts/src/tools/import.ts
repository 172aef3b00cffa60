import { z } from 'zod';
import { tagName, warnings } from '../common.js';
import { defineTools } from '../define.js';
import { customFieldRule } from '../limits.js';
import { profile } from './subscriber.js';

export const importRowsMax = 500;

/** A row, checked by itself, so that a bad one fails alone; the address is read by its own rules. */
export const importRow = z.strictObject({
  email: z.string().max(320),
  ...profile,
  tags: z.array(tagName).max(100).optional(),
});

export const importRowCodes = [
  'ROW_INVALID',
  'EMAIL_INVALID',
  'FIELD_RESERVED',
  'COUNTRY_UNKNOWN',
  'LIMIT_REACHED',
] as const;
const rowKeys = Object.keys(importRow.shape).map((key) => (key === 'email' ? key : `${key}?`));

export const importTools = defineTools('subscriber', {
  import_subscribers: {
    summary: `Creates and updates up to ${importRowsMax} subscribers in one call.`,
    category: 'transfer',
    scope: 'write',
    idempotent: true,
    rules: [
      'An invalid row fails alone and is reported with its index from 0; the other rows are imported.',
      `${customFieldRule} A row over a limit fails alone.`,
      'country is an ISO 3166-1 code (FR, FRA) or a name (France, Frankreich); case and accents are ignored.',
      'Existing subscribers change only in the given fields. UNSUBSCRIBED ones keep their status unless resubscribe is true.',
      'If an address occurs more than once in a call, each further row counts as an update. It adds tags and changes only the given fields.',
    ],
    input: z.strictObject({
      subscribers: z
        .array(z.unknown().describe(`{${rowKeys.join(', ')}}; a row that is not such an object fails alone`))
        .min(1)
        .max(importRowsMax),
      resubscribe: z.boolean().default(false),
      triggerWorkflows: z.boolean().default(false),
    }),
    output: z.object({
      imported: z.int(),
      updated: z.int(),
      failed: z.int(),
      errors: z.array(
        z.object({
          row: z.int(),
          email: z.string().nullable(),
          code: z.enum(importRowCodes),
          message: z.string(),
        }),
      ),
      warnings: warnings.optional(),
    }),
    errors: ['QUOTA_REACHED'],
    transaction: 'write',
    core: true,
    brief: `Creates and updates up to ${importRowsMax} subscribers in one call. An invalid row fails alone and is reported with its index from 0; the other rows are imported. Existing subscribers change only in the given fields. UNSUBSCRIBED ones keep their status unless resubscribe is true. country is an ISO 3166-1 code or a name.`,
    keywords:
      'load a list, spreadsheet, csv, excel, many people at once, bring in, upload contacts, migrate from another system, bulk add',
    example: {
      subscribers: [
        { email: 'lin@example.com', name: 'Lin', tags: ['lead'], fields: { city: 'Taipei' } },
        { email: 'noor@example.com', name: 'Noor' },
      ],
    },
  },
});
