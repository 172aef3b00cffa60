import { z } from 'zod';
import { idText, pageSize, timestamp, warnings } from '../common.js';
import { defineRequests } from '../define.js';
import { paymentTools } from '../tools/payment.js';

/** A type of the history, or a name of the customer's own. */
export const eventType = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} _.:-]{0,63}$/u, 'must be a name of up to 64 letters, digits, spaces and _ . : -');
/** In bytes as JSON: it travels in one message with everything about it. */
const dataBytesMax = 65_536;
const data = z
  .record(z.string().max(255), z.unknown())
  .refine((value) => JSON.stringify(value).length <= dataBytesMax, `must not be longer than ${dataBytesMax} as JSON`);

/** The fields that are read from the data of a payment or a refund; other fields are kept. */
export const paymentData = paymentTools.calls.create_event.input
  .pick({ amount: true, currency: true, metadata: true })
  .loose();
const paymentTypes: readonly string[] = ['SUBSCRIBER_PAYMENT', 'SUBSCRIBER_REFUND'];

const subscriberOfEvent = z.object({ id: z.string(), email: z.string(), name: z.string().nullable() });

/** The history as v1 writes and reads it. `subscriber` is an id or an address. */
export const subscriberEventRequests = defineRequests('subscriber', {
  /**
   * Payments and refunds change the revenue; names of the customer's own may start workflows; the other types of the
   * history are only noted, with the source `api`.
   */
  record_subscriber_event: {
    input: z
      .strictObject({ subscriber: idText, eventType, data: data.default({}) })
      .superRefine(({ eventType: type, data: given }, context) => {
        const read = paymentTypes.includes(type) ? paymentData.safeParse(given) : null;
        for (const { path, message } of read?.error?.issues ?? []) {
          context.addIssue({ code: 'custom', path: ['data', ...path], message });
        }
      }),
    output: z.object({
      event: z.object({
        id: z.string(),
        eventType: z.string(),
        data: z.record(z.string(), z.unknown()),
        subscriberId: z.string(),
        organizationId: z.string(),
        createdAt: timestamp,
      }),
      warnings: warnings.optional(),
    }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'PARAMETERS_INVALID'],
    transaction: 'own',
  },
  /** `search` is matched against types and data; both dates are inclusive. */
  list_history: {
    input: z.strictObject({
      subscriber: idText,
      eventTypes: z.array(eventType).max(50).default([]),
      order: z.enum(['ASC', 'DESC']).default('DESC'),
      take: pageSize(100, 20),
      cursor: z.string().max(100).optional(),
      startDate: timestamp.optional(),
      endDate: timestamp.optional(),
      search: z.string().trim().max(255).optional(),
    }),
    output: z.object({
      events: z.array(
        z.object({
          id: z.string(),
          eventType: z.string(),
          data: z.record(z.string(), z.unknown()),
          subscriberId: z.string(),
          createdAt: timestamp,
          subscriber: subscriberOfEvent,
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'PARAMETERS_INVALID'],
    transaction: 'read',
  },
});
