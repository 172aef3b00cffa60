import { z } from 'zod';
import {
  emailText,
  filters,
  idText,
  nextCursor,
  pageSize,
  subscriberStatus,
  subscriberStatuses,
  timestamp,
} from '../common.js';
import { defineTools } from '../define.js';
import { openExportsMax } from '../limits.js';
import { eventType } from '../requests/subscriber-event.js';
import { instant } from '../series.js';
import { subscriber } from './subscriber.js';

const who = {
  subscriberId: idText.optional().describe('Subscriber id; required without email'),
  email: emailText.optional().describe('Email address; required without subscriberId'),
};
const byIdOrEmail =
  'Identify the subscriber by subscriberId or email; both are allowed only if they name the same one.';
const whoErrors = ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'] as const;
const suppression = z.enum(['BANNED', 'COMPLAINED', 'BOUNCED']);
const order = z.enum(['ASC', 'DESC']).default('DESC');
const counted = 'counts true adds the numbers over the whole result. Counting stops at 10,000 (countsAreMinimum).';
const countsAreMinimum = z.literal(true).optional();

export const subscriberRecordTools = defineTools('subscriber', {
  get_subscriber_details: {
    summary:
      'Returns one subscriber with country, suppressions, and whether marketing and transactional mail reaches it.',
    category: 'subscribers',
    scope: 'read',
    rules: [byIdOrEmail],
    input: z.strictObject(who),
    output: z.object({
      subscriber,
      country: z.string().nullable().describe('ISO 3166-1 alpha-2 code'),
      suppressions: z.array(
        z.object({
          suppression,
          since: timestamp,
          reason: z.string().nullable().describe('Category or text, if known'),
        }),
      ),
      mailable: z.object({
        marketing: z.boolean(),
        transactional: z.boolean(),
        why: z.string().nullable().describe('Why mail is withheld; null if both kinds are sent'),
      }),
    }),
    errors: [...whoErrors],
    transaction: 'read',
    keywords: 'everything about a person, may we mail them, country, blocked or not',
    example: { email: 'ada@example.com' },
  },
  delete_subscriber: {
    summary: 'Deletes a subscriber with all its data in every service.',
    category: 'subscribers',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: [
      byIdOrEmail,
      'Suppressions of the address remain as a keyed hash, so that the address is not mailed again by mistake.',
      'Data of sent mail is erased within a minute. Exported files stay until they expire.',
    ],
    input: z.strictObject(who),
    output: z.object({
      deleted: z.literal(true),
      id: z.string(),
      keptSuppressions: z.array(z.enum([...suppression.options, 'UNSUBSCRIBED'])),
    }),
    errors: [...whoErrors],
    transaction: 'write',
    keywords: 'erase a person, right to be forgotten, GDPR, remove a contact permanently',
    example: { email: 'leaving@example.com' },
  },
  export_subscriber_data: {
    summary: 'Starts an export of all stored data of one subscriber from every service to a JSON file.',
    category: 'subscribers',
    scope: 'write',
    rules: [
      byIdOrEmail,
      'Poll get_subscriber_export until the status is DONE. The file is kept for 7 days.',
      `At most ${openExportsMax} exports are open at a time.`,
    ],
    input: z.strictObject(who),
    output: z.object({ exportId: z.string(), status: z.literal('QUEUED') }),
    errors: [...whoErrors, 'LIMIT_REACHED'],
    transaction: 'write',
    keywords: 'subject access request, GDPR, all data of a person, download what we hold',
    example: { email: 'ada@example.com' },
  },
  set_subscriber_ban: {
    summary: 'Bans an address from all mail, or lifts its ban.',
    category: 'subscribers',
    scope: 'admin',
    idempotent: true,
    rules: [
      'An address without a subscriber is banned in advance.',
      'Lifting a ban restores the former status unless another suppression remains. It starts no workflow.',
    ],
    input: z.strictObject({
      email: emailText,
      banned: z.boolean(),
      reason: z.string().trim().min(1).max(255).optional().describe('Shown by get_subscriber_details'),
    }),
    output: z.object({
      email: z.string(),
      banned: z.boolean(),
      subscriberId: z.string().nullable(),
      status: subscriberStatus.nullable(),
    }),
    errors: ['PARAMETERS_INVALID'],
    transaction: 'write',
    keywords: 'block an address, blacklist, never mail again, unblock, lift a ban',
    example: { email: 'abuse@example.com', banned: true },
  },
  search_subscribers: {
    summary: 'Lists subscribers by filters, status, tag and text, sorted by creation or address.',
    category: 'subscribers',
    scope: 'read',
    rules: [
      `${counted} They cover every status.`,
      'get_available_filters lists the available filters, which are combined with AND.',
    ],
    input: z.strictObject({
      filters: filters.default([]),
      status: z.enum([...subscriberStatuses, 'ALL']).default('ALL'),
      tag: z.string().trim().min(1).max(64).optional().describe('A tag name, compared without case'),
      query: z.string().max(255).optional().describe('Substring of email, name or tag name, without case'),
      sort: z.enum(['createdAt', 'email']).default('createdAt'),
      order,
      counts: z.boolean().default(false),
      limit: pageSize(100, 50),
      cursor: idText.optional(),
    }),
    output: z.object({
      subscribers: z.array(subscriber),
      total: z.int(),
      totalIsMinimum: z.literal(true).optional(),
      counts: z.partialRecord(subscriberStatus, z.int()).optional(),
      countsAreMinimum,
      nextCursor,
    }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'TAG_NOT_FOUND'],
    transaction: 'read',
    keywords: 'find people, sort contacts, filter the list, look up',
    example: { sort: 'email', order: 'ASC', counts: true },
  },
  search_subscriber_events: {
    summary: "Lists a subscriber's history by types, time and text, in either order.",
    category: 'subscribers',
    scope: 'read',
    rules: [byIdOrEmail, `${counted} They are by type.`, 'from and to are inclusive. query searches types and data.'],
    input: z.strictObject({
      ...who,
      eventTypes: z.array(eventType).max(50).default([]),
      query: z.string().trim().max(255).optional(),
      from: instant.optional(),
      to: instant.optional(),
      order,
      counts: z.boolean().default(false),
      limit: pageSize(100, 50),
      cursor: z.string().max(100).optional(),
    }),
    output: z.object({
      events: z.array(
        z.object({ id: z.string(), type: z.string(), data: z.record(z.string(), z.unknown()), createdAt: timestamp }),
      ),
      counts: z.record(z.string(), z.int()).optional(),
      countsAreMinimum,
      nextCursor,
    }),
    errors: [...whoErrors],
    transaction: 'read',
    keywords: 'timeline, what happened to a person, activity log, filter history',
    example: { email: 'ada@example.com', counts: true },
  },
});
