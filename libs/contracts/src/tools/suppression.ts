import { z } from 'zod';
import { idText, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { subscriber } from './subscriber.js';

const suppressingEvent = z.object({
  id: z.string(),
  type: z.string(),
  createdAt: timestamp,
  bounceCategory: z.string().nullable(),
  bounceType: z.string().nullable(),
  reason: z.string().nullable(),
  provider: z.string().nullable(),
  complaintFeedbackType: z.string().nullable(),
});

export const suppressionTools = defineTools('subscriber', {
  list_suppressed_subscribers: {
    summary: 'Lists BOUNCED and COMPLAINED subscribers with the cause, most recently suppressed first.',
    category: 'deliverability',
    scope: 'read',
    input: z.strictObject({
      status: z.enum(['BOUNCED', 'COMPLAINED']).optional(),
      page: z.int().min(1).max(1_000_000).default(1),
      pageSize: pageSize(100, 50),
    }),
    output: z.object({
      suppressed: z.array(
        z.object({
          subscriber: subscriber.pick({ id: true, email: true, name: true, status: true }),
          event: suppressingEvent.nullable(),
        }),
      ),
      total: z.int(),
      page: z.int(),
      pageSize: z.int(),
      pageCount: z.int(),
    }),
    errors: [],
    transaction: 'read',
    keywords:
      'blocked addresses, bounced, complained, cannot be mailed, spam complaints, block list, bad addresses, dead mailboxes, undeliverable',
    example: {},
  },
  reactivate_subscriber: {
    summary: 'Reactivates a BOUNCED, COMPLAINED or UNSUBSCRIBED subscriber by setting its status to SUBSCRIBED.',
    category: 'deliverability',
    scope: 'write',
    idempotent: true,
    rules: [
      'A permanently bounced address (NO_SUCH_USER, INTERNAL, or on a suppression list of a provider) is refused unless force is true.',
      'A SUBSCRIBED subscriber does not change; a BANNED one is refused. Reactivation starts no workflow.',
    ],
    input: z.strictObject({ subscriberId: idText, force: z.boolean().optional() }),
    output: z.object({ subscriber }),
    errors: ['SUBSCRIBER_NOT_FOUND', 'SUBSCRIBER_HARD_BOUNCED', 'SUBSCRIBER_BANNED', 'SUBSCRIBER_NOT_SUPPRESSED'],
    transaction: 'write',
    keywords:
      'mail again, unblock, take off the block list, resubscribe, bring back a person, mailbox works again, undo a bounce, allow',
    example: { subscriberId: '{subscriberId}' },
  },
});
