import { z } from 'zod';
import { filters, subscriberStatus } from '../common.js';
import { defineRequests } from '../define.js';
import { unsubscribeSource } from '../events/events.js';

/** What a template may say of a person, by variable name; custom fields under their own names. */
export const mergeValues = z.record(z.string(), z.string().nullable());

export const pageRecipient = z.object({
  subscriberId: z.string(),
  /** The address frozen with the audience; a rename during the send does not change it. */
  email: z.string(),
  /** Null when the subscriber was deleted since. */
  status: subscriberStatus.nullable(),
  /** A suppression entry that forbids marketing mail in any status. */
  suppressed: z.enum(['BANNED', 'BOUNCED', 'COMPLAINED']).nullable(),
  values: mergeValues,
  shows: z.array(z.boolean()),
});
export type PageRecipient = z.infer<typeof pageRecipient>;

export const subscriberRequests = defineRequests('subscriber', {
  /** Refuses filters that are malformed or name something unknown; answers them normalised, with what they name. */
  check_filters: {
    input: z.strictObject({
      filters,
      /** Filters that were saved before: what they compare with may be text that is refused today. */
      stored: z.boolean().optional(),
    }),
    output: z.object({ filters, references: z.array(z.string()), warnings: z.array(z.string()).optional() }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE'],
    transaction: 'read',
  },
  /** What custom fields are called in content: by their names, and by former ones that no other field has now. */
  list_field_names: {
    input: z.strictObject({}),
    output: z.object({ names: z.array(z.string()), formerNames: z.array(z.string()) }),
    errors: [],
    transaction: 'read',
  },
  /** The segments that filters include, directly or through others, with their filters; by id. */
  list_segment_definitions: {
    input: z.strictObject({ filters }),
    output: z.object({ segments: z.array(z.object({ id: z.string(), name: z.string(), filters })) }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE'],
    transaction: 'read',
  },
  /** Subscribers as the quota `contacts` counts them. */
  count_contacts: {
    input: z.strictObject({}),
    output: z.object({ contacts: z.int() }),
    errors: [],
    transaction: 'read',
  },
  /** How many SUBSCRIBED subscribers match now. */
  count_recipients: {
    input: z.strictObject({ filters }),
    output: z.object({ total: z.int(), warnings: z.array(z.string()).optional() }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'],
    transaction: 'read',
  },
  /** Freezes who matches now into pages of 500, in one statement; asking again with the same id answers the same audience. */
  freeze_audience: {
    input: z.strictObject({ audienceId: z.string(), purpose: z.enum(['SEND', 'EXPORT', 'ENROLMENT']), filters }),
    output: z.object({
      audienceId: z.string(),
      total: z.int(),
      pages: z.int(),
      /** How many more match but may not be sent to, by status or mark. */
      excluded: z.record(z.string(), z.int()),
    }),
    errors: ['FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'],
    transaction: 'own',
  },
  /**
   * The people of a page as they are now, with the values of the `variables` of a mail; left out: of all there are. A page
   * whose values have more bytes than an answer may is refused with RESULT_TOO_LARGE: then `places` asks for a part of it.
   */
  get_audience_page: {
    input: z.strictObject({
      audienceId: z.string(),
      pageNumber: z.int().min(0),
      showIf: z.array(filters),
      variables: z.array(z.string()).optional(),
      /** Places of the page, from 0; left out: all. */
      places: z.strictObject({ from: z.int().min(0), count: z.int().min(1) }).optional(),
    }),
    output: z.object({ recipients: z.array(pageRecipient) }),
    errors: ['FILTER_TARGET_GONE'],
    transaction: 'read',
  },
  /** Sets how many custom fields an organization may have; null is the default. */
  set_custom_field_limit: {
    input: z.strictObject({ limit: z.int().min(0).max(100_000).nullable() }),
    output: z.object({ limit: z.int(), used: z.int() }),
    errors: [],
    transaction: 'write',
  },
  release_audience: {
    input: z.strictObject({ audienceId: z.string() }),
    output: z.object({}),
    errors: [],
    transaction: 'write',
  },
  /** Merge data of one person, for previews and single messages. */
  get_recipient: {
    input: z.strictObject({ subscriberId: z.string(), showIf: z.array(filters) }),
    output: z.object({ recipient: pageRecipient }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'FILTER_TARGET_GONE'],
    transaction: 'read',
  },
  /** An unsubscription through a link or header of a message; a subscriber who is gone is a success. */
  unsubscribe_by_link: {
    input: z.strictObject({
      subscriberId: z.string(),
      source: unsubscribeSource,
      campaignId: z.string().nullable(),
      messageId: z.string().nullable(),
    }),
    output: z.object({
      email: z.string().nullable(),
      changed: z.boolean(),
      /** Whether resubscribe_by_link would resubscribe them: false for deleted and suppressed subscribers. */
      resubscribable: z.boolean(),
    }),
    errors: [],
    transaction: 'write',
  },
  resubscribe_by_link: {
    input: z.strictObject({ subscriberId: z.string() }),
    output: z.object({ email: z.string().nullable(), changed: z.boolean() }),
    errors: [],
    transaction: 'write',
  },
  change_tags_by_link: {
    input: z.strictObject({ subscriberId: z.string(), add: z.array(z.string()), remove: z.array(z.string()) }),
    output: z.object({}),
    errors: [],
    transaction: 'write',
  },
});
