import { z } from 'zod';
import {
  emailText,
  fieldValues,
  filters,
  idText,
  nextCursor,
  pageSize,
  subscriberStatus,
  subscriberStatuses,
  tagName,
  tagReference,
  timestamp,
  warnings,
} from '../common.js';
import { defineTools } from '../define.js';
import { subscriberEventTypes } from '../events/types.js';

export const subscriber = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  phone: z.string().nullable(),
  status: subscriberStatus,
  createdAt: timestamp,
  updatedAt: timestamp,
  tags: z.array(tagReference),
  customFields: z.record(z.string(), z.string()),
  revenue: z.number(),
  emailCount: z.int(),
  openCount: z.int(),
  clickCount: z.int(),
});

const subscriberSummary = subscriber.pick({
  id: true,
  email: true,
  name: true,
  status: true,
  createdAt: true,
  tags: true,
});
const total = { total: z.int(), totalIsMinimum: z.literal(true).optional() };
const who = {
  subscriberId: idText.optional().describe('The subscriber id; this or email'),
  email: emailText.optional().describe('The address; this or subscriberId'),
};
const byIdOrEmail = 'Identify the subscriber by subscriberId or email; both only if they name the same one.';

export const subscriberTools = defineTools('subscriber', {
  list_subscribers: {
    summary: 'Lists subscribers with email, name, status and tags, newest created first.',
    category: 'subscribers',
    scope: 'read',
    rules: ['The cursor is the id of the last subscriber of the previous page (nextCursor).'],
    input: z.strictObject({
      limit: pageSize(100, 50),
      status: z.enum(['ALL', ...subscriberStatuses]).default('ALL'),
      tag: z.string().trim().min(1).max(64).optional().describe('A tag name, compared without case'),
      query: z.string().max(255).optional().describe('Substring of email, name or tag name, without case'),
      cursor: idText.optional(),
    }),
    output: z.object({ subscribers: z.array(subscriberSummary), ...total, limit: z.int(), nextCursor }),
    errors: ['TAG_NOT_FOUND'],
    transaction: 'read',
    example: { limit: 10 },
  },
  count_subscribers: {
    summary: 'Counts the subscribers that match filters, a status and a free text; always exact.',
    category: 'subscribers',
    scope: 'read',
    input: z.strictObject({
      filters: filters.default([]),
      status: z.enum([...subscriberStatuses, 'ALL']).default('ALL'),
      query: z.string().max(255).optional(),
    }),
    output: z.object({ total: z.int() }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE'],
    transaction: 'read',
    example: { filters: [{ type: 'STRING', field: 'email', operator: 'ENDS_WITH', value: '@example.com' }] },
  },
  get_subscriber: {
    summary: 'Returns one subscriber with tags, custom fields and counters.',
    category: 'subscribers',
    scope: 'read',
    rules: [byIdOrEmail],
    input: z.strictObject(who),
    output: z.object({ subscriber }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'read',
    example: { email: 'ada@example.com' },
  },
  add_subscriber: {
    summary: 'Creates a subscriber, or updates the one with this address: fields, tags and status.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [
      'An UNSUBSCRIBED subscriber becomes SUBSCRIBED unless resubscribe is false; skipDoubleOptIn alone never resubscribes.',
      'With double opt-in on, a new subscriber is PENDING_CONFIRMATION unless skipDoubleOptIn is true.',
      'A bounced, complained or banned one keeps its status; the answer then carries a warning.',
      'Unknown custom field names are created.',
    ],
    input: z.strictObject({
      email: emailText,
      name: z.string().trim().max(255).nullish(),
      phone: z.string().trim().max(50).nullish(),
      tags: z.array(tagName).max(100).default([]),
      fields: fieldValues.optional(),
      replaceTags: z.boolean().default(false),
      resubscribe: z.boolean().default(true),
      triggerWorkflows: z.boolean().default(true),
      skipDoubleOptIn: z.boolean().default(false),
      ipAddress: z.union([z.ipv4(), z.ipv6()]).optional(),
      country: z
        .string()
        .regex(/^[A-Za-z]{2}$/, 'must be an ISO 3166 alpha-2 code')
        .optional(),
    }),
    output: z.object({ subscriber, created: z.boolean(), warnings: warnings.optional() }),
    errors: ['PARAMETERS_INVALID', 'FIELD_RESERVED'],
    transaction: 'own',
    example: { email: 'grace@example.com', name: 'Grace Hopper', tags: ['customer'], fields: { city: 'New York' } },
  },
  unsubscribe: {
    summary: 'Unsubscribes a subscriber, who then receives no marketing or workflow email.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [byIdOrEmail, 'Works from every state; doing it again changes nothing.'],
    input: z.strictObject({ ...who, reason: z.string().trim().max(1000).optional() }),
    output: z.object({ subscriber: subscriber.pick({ id: true, email: true, status: true }) }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'write',
    example: { email: 'ada@example.com', reason: 'asked by phone' },
  },
  list_subscriber_events: {
    summary: "Lists a subscriber's history, newest first.",
    category: 'subscribers',
    scope: 'read',
    rules: [byIdOrEmail],
    input: z.strictObject({
      ...who,
      eventType: z.enum(subscriberEventTypes).optional(),
      limit: pageSize(1000, 50),
    }),
    output: z.object({
      events: z.array(
        z.object({
          id: z.string(),
          type: z.string(),
          data: z.record(z.string(), z.unknown()),
          createdAt: timestamp,
        }),
      ),
      ...total,
    }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'read',
    example: { email: 'ada@example.com' },
  },
});
