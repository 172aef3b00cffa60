import { z } from 'zod';
import { subscriberStatus, timestamp } from '../common.js';

/** Who or what caused an event, for history and loop guards. */
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

/** One subscriber's passage through a workflow. */
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

/** Every event between services, name: payload. Names are noun.past_participle. */
export const events = {
  'subscriber.created': z.object(aboutSubscriber),
  'subscriber.subscribed': z.object({ ...aboutSubscriber, source: z.string() }),
  'subscriber.unsubscribed': z.object({
    ...aboutSubscriber,
    reason: z.string().nullable(),
    source: z.string(),
    campaignId: z.string().nullable(),
    messageId: z.string().nullable(),
    /** They had left by this campaign before, and come back: its numbers count people. */
    again: z.literal(true).optional(),
  }),
  /**
   * An unsubscription by a link while the subscriber service did not answer; it travels in the stream `choices`, never
   * in the outbox. `at` is when the recipient chose.
   */
  'unsubscription.requested': z.object({
    subscriberId: z.string(),
    source: unsubscribeSource,
    campaignId: z.string().nullable(),
    messageId: z.string().nullable(),
    at: timestamp,
  }),
  /** The person is gone with everything known of them; what waits for them has nobody to wait for. */
  'subscriber.deleted': z.object(aboutSubscriber),
  'tag.added': z.object({ ...aboutSubscriber, tagId: z.string(), tagName: z.string() }),
  'tag.removed': z.object({ ...aboutSubscriber, tagId: z.string(), tagName: z.string() }),
  'field.updated': z.object({
    ...aboutSubscriber,
    fieldId: z.string(),
    field: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
  }),
  /** A payment, a refund, or an event of the customer's own. */
  'event.recorded': z.object({
    ...aboutSubscriber,
    eventType: z.string(),
    data: z.record(z.string(), z.unknown()),
  }),
  /** Accepted by the relay, or simulated. */
  'message.sent': z.object(aboutMessage),
  'message.delivered': z.object(aboutMessage),
  'message.bounced': z.object({
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
     * decides it, since it alone knows the stage and the relay; older versions leave it out.
     */
    suppression: z.object({ cause: z.string(), counted: z.boolean() }).optional(),
  }),
  /** A report of abuse (RFC 5965) or a provider's webhook: the person called the message spam. */
  'message.complained': z.object({
    ...aboutMessage,
    complaintFeedbackType: z.string().nullable(),
    provider: z.string().nullable(),
  }),
  'message.delayed': z.object({ ...aboutMessage, reason: z.string(), attempts: z.int() }),
  /** `first` is decided where the message row is, so that readers only add. */
  'message.opened': z.object({
    ...aboutMessage,
    machine: z.boolean(),
    first: z.boolean(),
    userAgent: z.string().nullable(),
  }),
  'message.clicked': z.object({
    ...aboutMessage,
    machine: z.boolean(),
    first: z.boolean(),
    firstOfLink: z.boolean(),
    url: z.string(),
    userAgent: z.string().nullable(),
  }),
  'run.started': z.object(aboutRun),
  'run.completed': z.object({ ...aboutRun, reason: z.string().nullable() }),
  /** Ended from outside, or failed (`FAILED: …`). */
  'run.canceled': z.object({ ...aboutRun, reason: z.string().nullable() }),
  'webhook.executed': z.object({
    ...aboutRun,
    stepId: z.string(),
    url: z.string(),
    /** Null when nobody answered. */
    status: z.int().nullable(),
  }),
  'send.finished': z.object({
    sendId: z.string(),
    campaignId: z.string(),
    outcome: z.enum(['SENT', 'FAILED']),
    failure: z.string().nullable(),
    at: timestamp,
  }),
  /** Recipients of a send are tried again from this instant on; `softBounces` of them had been told as bounced for now. */
  'send.retried': z.object({ sendId: z.string(), campaignId: z.string(), softBounces: z.int(), at: timestamp }),
} as const;

export type EventName = keyof typeof events;
export type EventData<N extends EventName> = z.infer<(typeof events)[N]>;

/** An event as it travels: its own id, its organization, its name and payload, and what is traced, where anything is. */
export type DomainEvent<N extends EventName = EventName> = {
  [K in N]: { id: string; organizationId: string; name: K; data: EventData<K>; traceparent?: string };
}[N];
