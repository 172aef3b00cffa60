import { z } from 'zod';
import { subscriberStatus, timestamp } from '../common.js';

const cause = z.object({
  kind: z.enum(['tool', 'import', 'link', 'workflow', 'delivery', 'operator', 'job']),
  id: z.string().nullable(),
});

const aboutSubscriber = {
  subscriberId: z.string(),
  subscriberStatus,
  triggerWorkflows: z.boolean(),
  cause,
  occurredAt: timestamp,
};

/** One message's fact; `messageId` makes handlers commutative and idempotent. */
const aboutMessage = {
  messageId: z.string(),
  subscriberId: z.string().nullable(),
  campaignId: z.string().nullable(),
  campaignName: z.string().nullable(),
  subject: z.string(),
  /** Empty once the subscriber was deleted; `addressHash` then names the address. */
  email: z.string(),
  addressHash: z.string().optional(),
  at: timestamp,
  simulated: z.boolean(),
};

const aboutRun = {
  subscriberId: z.string(),
  workflowId: z.string(),
  workflowName: z.string(),
  version: z.int(),
  runId: z.string(),
  at: timestamp,
};

/** By what a recipient unsubscribes: a mail client's request (RFC 8058), the page of the link, or the preference page. */
export const unsubscribeSource = z.enum(['one-click', 'page', 'preferences']);
export type UnsubscribeSource = z.infer<typeof unsubscribeSource>;
export const bounceType = z.enum(['HARD', 'SOFT']);
export const bounceCategory = z.enum([
  ...(['NO_SUCH_USER', 'INTERNAL', 'MAILBOX_FULL', 'BLOCKED', 'CONTENT', 'POLICY', 'TRANSIENT', 'OTHER'] as const),
]);

/** What became of a message at its first attempt. */
export const settledOutcome = z.enum(['SENT', 'DELIVERED', 'FAILED', 'DEFERRED', 'SKIPPED', 'IN_DOUBT']);
export type SettledOutcome = z.infer<typeof settledOutcome>;

/** Every event between services, name: payload. */
export const events = {
  'subscriber.created': z.object(aboutSubscriber).describe('A subscriber was created.'),
  'subscriber.subscribed': z
    .object({ ...aboutSubscriber, source: z.string() })
    .describe('A subscriber became SUBSCRIBED.'),
  'subscriber.unsubscribed': z
    .object({
      ...aboutSubscriber,
      reason: z.string().nullable(),
      source: z.string(),
      campaignId: z.string().nullable(),
      messageId: z.string().nullable(),
      /** They had left by this campaign before, and come back: its numbers count people. */
      again: z.literal(true).optional(),
    })
    .describe('A subscriber became UNSUBSCRIBED.'),
  'unsubscription.requested': z
    .object({
      subscriberId: z.string(),
      source: unsubscribeSource,
      campaignId: z.string().nullable(),
      messageId: z.string().nullable(),
      at: timestamp,
    })
    .describe(
      'A recipient unsubscribed by a link while the subscriber service did not answer. It travels in the stream `choices`, never in the outbox; `at` is when the recipient chose.',
    ),
  'subscriber.deleted': z
    .object({
      ...aboutSubscriber,
      /** Keyed hash of the last address, 64 hex digits; absent from an older version. */
      addressHash: z.string().optional(),
      /** Messages of campaigns by position that the history named; absent from an older version. */
      campaignMessageIds: z.array(z.string()).optional(),
    })
    .describe('A subscriber and their personal data were deleted. Work that waits for them is dropped.'),
  'tag.added': z
    .object({ ...aboutSubscriber, tagId: z.string(), tagName: z.string() })
    .describe('A subscriber got a tag.'),
  'tag.removed': z
    .object({ ...aboutSubscriber, tagId: z.string(), tagName: z.string() })
    .describe('A subscriber lost a tag.'),
  'field.updated': z
    .object({
      ...aboutSubscriber,
      fieldId: z.string(),
      field: z.string(),
      from: z.string().nullable(),
      to: z.string().nullable(),
    })
    .describe('The value of a custom field of a subscriber changed.'),
  'event.recorded': z
    .object({
      ...aboutSubscriber,
      eventType: z.string(),
      data: z.record(z.string(), z.unknown()),
    })
    .describe('A payment, a refund or an event of the customer was recorded.'),
  'message.sent': z.object(aboutMessage).describe('The relay accepted a message, or the send was simulated.'),
  'message.delivered': z.object(aboutMessage).describe('A message counts as delivered.'),
  'message.bounced': z
    .object({
      ...aboutMessage,
      bounceType,
      bounceCategory,
      reason: z.string(),
      provider: z.string().nullable(),
      status: z.string().nullable(),
      /** What the message counted as until it came back; left out when it was refused at once. */
      countedAs: z.enum(['SENT', 'DELIVERED']).optional(),
      /**
       * The cause by the table of bounce causes, and whether it counts towards the soft bounces that suppress. Delivery
       * decides it, since it alone has the stage and the relay; older versions leave it out.
       */
      suppression: z.object({ cause: z.string(), counted: z.boolean() }).optional(),
    })
    .describe('A message bounced, at once or later.'),
  'message.complained': z
    .object({
      ...aboutMessage,
      complaintFeedbackType: z.string().nullable(),
      provider: z.string().nullable(),
    })
    .describe('A recipient reported a message as spam (RFC 5965), or a provider’s webhook said so.'),
  'message.delayed': z
    .object({ ...aboutMessage, reason: z.string(), attempts: z.int() })
    .describe('A delivery attempt was deferred.'),
  'message.opened': z
    .object({
      ...aboutMessage,
      machine: z.boolean(),
      first: z.boolean(),
      userAgent: z.string().nullable(),
    })
    .describe('A message was opened. Delivery decides `first`, so that consumers only add.'),
  'message.clicked': z
    .object({
      ...aboutMessage,
      machine: z.boolean(),
      first: z.boolean(),
      firstOfLink: z.boolean(),
      url: z.string(),
      userAgent: z.string().nullable(),
    })
    .describe('A link of a message was clicked.'),
  'messages.settled': z
    .object({
      sendId: z.string(),
      campaignId: z.string(),
      chunk: z.int(),
      at: timestamp,
      /** Ranges of positions in the chunk, ascending; both ends belong to a range. */
      positions: z.array(z.tuple([z.int(), z.int()])),
      /** The recipients in the order of the positions: base64 (RFC 4648 section 4) of 16 bytes each. */
      subscriberIds: z.string(),
      outcome: settledOutcome,
      /** Positions with another outcome. */
      exceptions: z.array(z.object({ position: z.int(), outcome: settledOutcome })),
      /**
       * Messages that became SENT or DELIVERED (`sent`), and DELIVERED (`delivered`), by variant (null without variants),
       * mailbox provider of the recipient, and whether they were simulated.
       */
      counts: z.array(
        z.object({
          variant: z.int().nullable(),
          destination: z.string(),
          simulated: z.boolean(),
          sent: z.int(),
          delivered: z.int(),
        }),
      ),
      /**
       * The values of the variables of each subject, in the order of the positions; left out if the subject of the send
       * has no variable.
       */
      subjectValues: z.array(z.array(z.string())).optional(),
    })
    .describe(
      'First attempts of a chunk of a campaign were recorded together. It replaces `message.sent` and `message.delivered` of their messages; whatever else happens to one of them has an event of its own.',
    ),
  'send.started': z
    .object({
      sendId: z.string(),
      campaignId: z.string(),
      campaignName: z.string(),
      /** The subject, split where the value of a variable belongs; one part if it has no variable. */
      subjectParts: z.array(z.string()),
      at: timestamp,
    })
    .describe('A send of a campaign started whose messages are reported by `messages.settled`.'),
  'run.started': z.object(aboutRun).describe('A run of a workflow started.'),
  'run.completed': z.object({ ...aboutRun, reason: z.string().nullable() }).describe('A run reached its end.'),
  'run.canceled': z
    .object({ ...aboutRun, reason: z.string().nullable() })
    .describe('A run was ended from outside, or failed (`FAILED: …`).'),
  'webhook.executed': z
    .object({
      ...aboutRun,
      stepId: z.string(),
      url: z.string(),
      /** Null without a response. */
      status: z.int().nullable(),
    })
    .describe('A workflow step called a webhook. `status` is null if there was no response.'),
  'send.finished': z
    .object({
      sendId: z.string(),
      campaignId: z.string(),
      outcome: z.enum(['SENT', 'FAILED']),
      failure: z.string().nullable(),
      at: timestamp,
    })
    .describe('A send of a campaign ended.'),
  'approval.asked': z
    .object({
      approvalId: z.string(),
      tool: z.string(),
      asker: z.object({ kind: z.enum(['TOKEN', 'USER']), id: z.string() }),
      at: timestamp,
    })
    .describe('A call waits for the approval of a person.'),
  'approval.decided': z
    .object({
      approvalId: z.string(),
      tool: z.string(),
      /** EXECUTED and FAILED end what was approved. */
      state: z.enum(['REJECTED', 'WITHDRAWN', 'EXECUTED', 'FAILED']),
      /** The user who decided; null for the operator, and where no person did. */
      decidedBy: z.string().nullable(),
      at: timestamp,
    })
    .describe('A call was rejected, withdrawn, or carried out after its approval.'),
  'send.retried': z
    .object({ sendId: z.string(), campaignId: z.string(), softBounces: z.int(), at: timestamp })
    .describe('Recipients of a send are tried again from `at` on. `softBounces` of them had counted as soft bounces.'),
} as const;

export type EventName = keyof typeof events;
export type EventData<N extends EventName> = z.infer<(typeof events)[N]>;

export type DomainEvent<N extends EventName = EventName> = {
  [K in N]: { id: string; organizationId: string; name: K; data: EventData<K>; traceparent?: string };
}[N];
