import { z } from 'zod';
import { warnings } from '../common.js';
import { defineRequests } from '../define.js';

export const addressProblems = [
  'invalid_format',
  'disposable_email',
  'spam_domain',
  'invalid_domain',
  'test_email',
  'internal_error',
] as const;

export const addressRequests = defineRequests('domain', {
  /** Whether mail to an address can arrive, as far as its form, known lists and DNS tell; no mail server is asked. */
  verify_email_address: {
    input: z.strictObject({ email: z.string().max(10_000) }),
    output: z.object({
      success: z.boolean().describe('Whether mail to the address can arrive, as far as can be determined'),
      error: z.string().optional(),
      code: z
        .enum(addressProblems)
        .optional()
        .describe('The first problem, in the order of this list but test_email second'),
      suggestion: z.string().optional().describe('The address that was probably meant'),
      warnings: warnings.optional(),
      address: z.string(),
      domain: z.string().nullable().describe('As in DNS; null if the text is not an address'),
      isFree: z.boolean().describe('A provider that offers mailboxes to the public'),
      isDisposable: z.boolean(),
      isRoleAccount: z.boolean(),
      hasValidMX: z.boolean().nullable().describe('Null if DNS was not queried or did not answer in time'),
    }),
    errors: [],
    transaction: 'read',
  },
});
