import { z } from 'zod';
import { emailText, idText, timestamp, warnings } from '../common.js';
import { defineTools } from '../define.js';

export const paymentTools = defineTools('subscriber', {
  create_event: {
    summary: 'Records a payment or a refund of a subscriber.',
    category: 'subscribers',
    scope: 'write',
    rules: [
      'Identify the subscriber by subscriberId or email; both are allowed only if they name the same one.',
      "Payments in the organization's currency add to the subscriber's revenue, and refunds subtract from it. Other currencies are recorded with a warning.",
      'amount is not negative; if omitted, it is 0, with a warning.',
    ],
    input: z.strictObject({
      subscriberId: idText.optional().describe('Subscriber id; required without email'),
      email: emailText.optional().describe('Email address; required without subscriberId'),
      eventType: z.enum(['SUBSCRIBER_PAYMENT', 'SUBSCRIBER_REFUND']),
      amount: z.number().min(0).max(999_999_999).optional().describe('In units of the currency, with two decimals'),
      currency: z
        .string()
        .trim()
        .regex(/^[A-Za-z]{3}$/, 'must be a code of three letters')
        .default('USD'),
      metadata: z.record(z.string().max(255), z.unknown()).optional(),
    }),
    output: z.object({
      event: z.object({
        id: z.string(),
        type: z.string(),
        subscriberId: z.string(),
        data: z.object({
          amount: z.number(),
          currency: z.string(),
          metadata: z.record(z.string(), z.unknown()),
        }),
        createdAt: timestamp,
      }),
      warnings: warnings.optional(),
    }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'own',
    keywords: 'record a payment, purchase, bought, order, sale, refund, paid, log revenue, shop, money back',
    example: {
      email: 'grace@example.com',
      eventType: 'SUBSCRIBER_PAYMENT',
      amount: 49.9,
      metadata: { order: 'A-1001' },
    },
  },
});
