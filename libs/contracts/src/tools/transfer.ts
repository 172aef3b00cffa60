import { z } from 'zod';
import { warnings } from '../common.js';
import { defineTools } from '../define.js';

/** Rows are checked one by one by the service, so that a bad row fails alone. */
const importRow = z
  .unknown()
  .describe(
    '{email, name?, phone?, tags?, fields?, country?, ipAddress?}; a row that is not such an object fails alone',
  );

export const transferTools = defineTools('subscriber', {
  import_subscribers: {
    summary: 'Creates and updates up to 500 subscribers in one call.',
    category: 'transfer',
    scope: 'write',
    idempotent: true,
    rules: [
      'A bad row fails alone and is reported with its index from 0; the rest is imported.',
      'Existing subscribers change only in the fields given; UNSUBSCRIBED ones stay so unless resubscribe is true.',
      'When an address comes twice in one call the last row wins; the further ones count as updated.',
    ],
    input: z.strictObject({
      subscribers: z.array(importRow).min(1).max(500),
      resubscribe: z.boolean().default(false),
      triggerWorkflows: z.boolean().default(false),
    }),
    output: z.object({
      imported: z.int(),
      updated: z.int(),
      failed: z.int(),
      errors: z.array(z.object({ row: z.int(), email: z.string().nullable(), code: z.string(), message: z.string() })),
      warnings: warnings.optional(),
    }),
    errors: [],
    transaction: 'write',
    example: {
      subscribers: [
        { email: 'lin@example.com', name: 'Lin', tags: ['lead'], fields: { city: 'Taipei' } },
        { email: 'noor@example.com', name: 'Noor' },
      ],
    },
  },
});
