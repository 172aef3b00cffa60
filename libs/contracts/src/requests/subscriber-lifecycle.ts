import { z } from 'zod';
import { emailText, idText, subscriberStatus, timestamp } from '../common.js';
import { defineRequests } from '../define.js';

export const subscriberLifeRequests = defineRequests('subscriber', {
  /**
   * Confirms a subscription by the button of its page; `linkMadeAt` is when the link was made. CONFIRMED also for a
   * subscriber who is subscribed already.
   */
  confirm_subscription: {
    input: z.strictObject({
      subscriberId: z.string(),
      linkMadeAt: timestamp,
      ip: z.string().max(64).nullable(),
      userAgent: z.string().max(1024).nullable(),
    }),
    output: z.object({ outcome: z.enum(['CONFIRMED', 'EXPIRED', 'NOT_PENDING']), email: z.string().nullable() }),
    errors: [],
    transaction: 'write',
  },
  /**
   * Requests another confirmation message; `sent` is false for a subscriber who is not pending or got one within the
   * hour.
   */
  resend_confirmation: {
    input: z.strictObject({ subscriberId: z.string() }),
    output: z.object({ sent: z.boolean() }),
    errors: [],
    transaction: 'write',
  },
  /**
   * Sets the name entered on the preference page; an empty one clears. `changed` is false for an unknown subscriber.
   */
  rename_by_link: {
    input: z.strictObject({ subscriberId: z.string(), name: z.string().max(1000) }),
    output: z.object({ changed: z.boolean() }),
    errors: [],
    transaction: 'write',
  },
  /** For the operator's command; an address that is no subscriber's is banned for when it comes. */
  set_ban: {
    input: z.strictObject({ email: emailText, banned: z.boolean() }),
    output: z.object({ email: z.string(), status: subscriberStatus.nullable() }),
    errors: ['PARAMETERS_INVALID'],
    transaction: 'write',
  },
  /**
   * For the operator's command: reviews subscribers that soft bounces suppressed, in the order of their ids, after the one
   * that is named. Those that no counted cause suppressed get their status back; without `apply` nothing changes.
   */
  review_suppressions: {
    input: z.strictObject({
      after: z.string().nullable(),
      limit: z.int().min(1).max(1000).default(500),
      apply: z.boolean(),
    }),
    output: z.object({
      restored: z.array(
        z.object({
          subscriberId: z.string(),
          email: z.string(),
          status: subscriberStatus,
          causes: z.record(z.string(), z.int()),
        }),
      ),
      kept: z.record(z.string(), z.int()),
      next: z.string().nullable(),
    }),
    errors: [],
    transaction: 'write',
  },
  /** Deletes a subscriber with everything known of them; marks against the address stay as a keyed hash. */
  delete_subscriber: {
    input: z.strictObject({ subscriberId: idText.optional(), email: emailText.optional() }),
    output: z.object({ id: z.string(), email: z.string() }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'write',
  },
  /**
   * Returns the recipient of a transactional message; an unknown address becomes a TRANSACTIONAL subscriber, who gets
   * no other mail. `suppressed` is the entry that forbids even this message; one that outlived its subscriber is an
   * error.
   */
  admit_transactional: {
    input: z.strictObject({ email: emailText }),
    output: z.object({
      subscriberId: z.string(),
      status: subscriberStatus,
      suppressed: z.enum(['BANNED', 'BOUNCED', 'COMPLAINED']).nullable(),
    }),
    errors: ['PARAMETERS_INVALID', 'RECIPIENT_SUPPRESSED'],
    transaction: 'own',
  },
  /** Which of these addresses have a mark that forbids even a transactional message; nothing changes by asking. */
  list_suppressed_addresses: {
    input: z.strictObject({ emails: z.array(emailText).max(100) }),
    output: z.object({
      suppressed: z.array(z.object({ email: z.string(), mark: z.enum(['BANNED', 'BOUNCED', 'COMPLAINED']) })),
    }),
    errors: ['PARAMETERS_INVALID'],
    transaction: 'read',
  },
  identify_subscriber: {
    input: z.strictObject({ subscriberId: idText.optional(), email: emailText.optional() }),
    output: z.object({
      subscriberId: z.string(),
      /** The present address; absent from an older version. */
      email: z.string().optional(),
      /** Messages of campaigns by position that the history names; absent from an older version. */
      campaignMessageIds: z.array(z.string()).optional(),
    }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'read',
  },
  /** A finished export's file, for the gateway's download; null when it is not there (any more). */
  find_export_file: {
    input: z.strictObject({ exportId: z.string() }),
    output: z.object({ file: z.object({ name: z.string(), chunks: z.int(), bytes: z.int() }).nullable() }),
    errors: [],
    transaction: 'read',
  },
  /** A piece of an export's file in base64, itself a whole gzip member; null when it is gone. */
  get_export_chunk: {
    input: z.strictObject({ exportId: z.string(), chunk: z.int().min(0) }),
    output: z.object({ content: z.string().nullable() }),
    errors: [],
    transaction: 'read',
  },
});
