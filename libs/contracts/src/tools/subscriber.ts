import { z } from 'zod';
import {
  emailText,
  fieldValues,
  idText,
  pageSize,
  subscriberStatus,
  tagName,
  tagReference,
  timestamp,
  warnings,
} from '../common.js';
import { defineTools } from '../define.js';
import { customFieldRule } from '../limits.js';
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

const total = { total: z.int(), totalIsMinimum: z.literal(true).optional() };
const who = {
  subscriberId: idText.optional().describe('Subscriber id; required without email'),
  email: emailText.optional().describe('Email address; required without subscriberId'),
};
const byIdOrEmail =
  'Identify the subscriber by subscriberId or email; both are allowed only if they name the same one.';
const tags = z.array(tagName).max(100);
/** The data of a subscriber beside address and tags; null clears, and an omitted field stays. */
export const profile = {
  name: z.string().trim().max(255).nullish(),
  phone: z.string().trim().max(50).nullish(),
  fields: fieldValues.optional(),
  ipAddress: z.union([z.ipv4(), z.ipv6()], 'must be an IPv4 or IPv6 address').optional(),
  country: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('An ISO 3166-1 code (FR, FRA) or a name (France, Frankreich); case and accents are ignored'),
};

export const subscriberTools = defineTools('subscriber', {
  get_subscriber: {
    summary: 'Returns one subscriber with tags, custom fields and counters.',
    category: 'subscribers',
    scope: 'read',
    rules: [byIdOrEmail],
    input: z.strictObject(who),
    output: z.object({ subscriber }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'read',
    core: true,
    keywords: 'look up one person, details, profile, what do we know about, find by email address, contact card',
    example: { email: 'ada@example.com' },
  },
  add_subscriber: {
    summary: 'Creates a subscriber, or updates the fields, tags and status of the one with this address.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [
      'An UNSUBSCRIBED subscriber becomes SUBSCRIBED unless resubscribe is false; skipDoubleOptIn alone never resubscribes.',
      'With double opt-in on, a new subscriber is PENDING_CONFIRMATION unless skipDoubleOptIn is true.',
      'A BOUNCED, COMPLAINED or BANNED subscriber keeps its status; the response then carries a warning.',
      `Unknown custom field names are created. ${customFieldRule}`,
    ],
    input: z.strictObject({
      email: emailText,
      ...profile,
      tags: tags.default([]),
      replaceTags: z.boolean().default(false),
      resubscribe: z.boolean().default(true),
      triggerWorkflows: z.boolean().default(true),
      skipDoubleOptIn: z.boolean().default(false),
    }),
    output: z.object({ subscriber, created: z.boolean(), warnings: warnings.optional() }),
    errors: ['PARAMETERS_INVALID', 'FIELD_RESERVED', 'COUNTRY_UNKNOWN', 'QUOTA_REACHED', 'LIMIT_REACHED'],
    transaction: 'own',
    core: true,
    keywords: 'new person, sign up, put on the list, new contact, register, opt in, enter, join the newsletter',
    example: { email: 'grace@example.com', name: 'Grace Hopper', tags: ['customer'], fields: { city: 'New York' } },
  },
  update_subscriber: {
    summary: 'Updates the given fields of a subscriber; omitted fields keep their values.',
    category: 'subscribers',
    scope: 'write',
    locks: true,
    idempotent: true,
    rules: [
      'subscriber is an id or an address; email sets a new address.',
      'The status changes only if resubscribe (UNSUBSCRIBED, TRANSACTIONAL) or skipDoubleOptIn (PENDING_CONFIRMATION) is true. skipDoubleOptIn alone never resubscribes.',
      'A BOUNCED, COMPLAINED or BANNED subscriber keeps its status; the response then carries a warning.',
      `replaceTags removes the tags that are not in tags. Unknown custom field names are created. ${customFieldRule}`,
    ],
    input: z.strictObject({
      subscriber: idText.describe('An id or an address'),
      email: emailText.optional(),
      ...profile,
      tags: tags.optional(),
      replaceTags: z.boolean().optional(),
      resubscribe: z.boolean().optional(),
      triggerWorkflows: z.boolean().optional(),
      skipDoubleOptIn: z.boolean().default(false),
    }),
    output: z.object({ subscriber, warnings: warnings.optional() }),
    errors: [
      'SUBSCRIBER_NOT_FOUND',
      'PARAMETERS_INVALID',
      'FIELD_RESERVED',
      'COUNTRY_UNKNOWN',
      'EMAIL_TAKEN',
      'LIMIT_REACHED',
    ],
    transaction: 'own',
    core: true,
    brief:
      'Updates the given fields of a subscriber; omitted fields keep their values. Name the subscriber by id or address; email sets a new address. With replaceTags, tags that are not in tags are removed. The status changes only if resubscribe (UNSUBSCRIBED, TRANSACTIONAL) or skipDoubleOptIn (PENDING_CONFIRMATION) is true. A BOUNCED, COMPLAINED or BANNED subscriber keeps it. Unknown custom field names are created.',
    keywords: 'change a name, phone number, correct, edit contact details, fix, label one person, new address',
    example: { subscriber: 'grace@example.com', phone: '+1 212 555 0100', fields: { company: 'US Navy' } },
  },
  unsubscribe: {
    summary: 'Unsubscribes a subscriber, who then receives no marketing or workflow email.',
    category: 'subscribers',
    scope: 'write',
    idempotent: true,
    rules: [byIdOrEmail, 'Works from every state; repeating the call changes nothing.'],
    input: z.strictObject({ ...who, reason: z.string().trim().max(1000).optional() }),
    output: z.object({ subscriber: subscriber.pick({ id: true, email: true, status: true }) }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'write',
    core: true,
    keywords:
      'opt out, no more mail, stop mailing, does not want, remove from the list, take off, stop writing to someone, leave me alone',
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
    core: true,
    keywords: 'activity, timeline, what has this person done, actions, log, behaviour, journal, recently',
    example: { email: 'ada@example.com' },
  },
});
