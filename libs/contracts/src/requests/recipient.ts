import { z } from 'zod';
import { idText, nextCursor, pageSize, timestamp } from '../common.js';
import { defineRequests } from '../define.js';

/** The state of one recipient of a campaign, as callers see it; PENDING is queued, in progress or deferred. */
export const recipientStatuses = [
  'PENDING',
  'SENT',
  'DELIVERED',
  'BOUNCED',
  'COMPLAINED',
  'FAILED',
  'SKIPPED',
  'IN_DOUBT',
] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

export const campaignRecipient = z.object({
  subscriberId: z.string(),
  email: z.string(),
  messageId: z.string(),
  status: z.enum(recipientStatuses),
  /** Why the mail was skipped (a status, STOPPED, RENDER_FAILED …), or the class of the refusal; null when it arrived. */
  reason: z.string().nullable(),
  /** The mail server's own words. */
  response: z.string().nullable(),
  attempts: z.int(),
  /** Whether a retry takes this recipient: `IF_ASKED` for one whose mail may have arrived already. */
  canRetry: z.enum(['YES', 'NO', 'IF_ASKED']),
  sentAt: timestamp.nullable(),
  deliveredAt: timestamp.nullable(),
  openedAt: timestamp.nullable(),
  clickedAt: timestamp.nullable(),
});
export type CampaignRecipient = z.infer<typeof campaignRecipient>;

/** Numbers of recipients by status and reason; NONE holds those without a reason. */
export const outcomeCounts = z.partialRecord(z.enum(recipientStatuses), z.record(z.string(), z.int()));
export type OutcomeCounts = z.infer<typeof outcomeCounts>;

const recipientPage = {
  statuses: z.array(z.enum(recipientStatuses)).min(1).nullable(),
  cursor: idText.nullable(),
  limit: pageSize(100, 50),
};

export const recipientRequests = defineRequests('delivery', {
  /**
   * Lists recipients in the order of their ids or of the audience, without recipients that have no message yet. The
   * cursor names the last one; an id of a subscriber is accepted for every send.
   */
  list_recipients: {
    input: z.strictObject({
      sendId: z.string(),
      ...recipientPage,
      reason: z.string().optional(),
      query: z.string().optional(),
      /** Whether to count all recipients by status and reason, which reads all messages of the send. */
      counted: z.boolean().optional(),
    }),
    output: z.object({ recipients: z.array(campaignRecipient), nextCursor, counts: outcomeCounts.optional() }),
    errors: ['SEND_NOT_FOUND'],
    transaction: 'read',
  },
  /**
   * Makes due again what can be tried again, and a send that is over run again. `retriedAt` is the instant of it by the
   * clock that also says when a send finished; null when there was nothing to retry.
   */
  retry_send: {
    input: z.strictObject({ sendId: z.string(), inDoubt: z.boolean() }),
    output: z.object({ retried: z.int(), inDoubt: z.int(), retriedAt: timestamp.nullable() }),
    errors: ['SEND_NOT_FOUND', 'CAMPAIGN_STOPPING'],
    transaction: 'write',
  },
});

export const campaignRecipientRequests = defineRequests('campaign', {
  list_campaign_recipients: {
    input: z.strictObject({ campaignId: idText, ...recipientPage }),
    output: z.object({
      campaignId: z.string(),
      status: z.string(),
      total: z.int(),
      pending: z.int(),
      recipients: z.array(campaignRecipient),
      nextCursor,
    }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'own',
  },
  retry_campaign: {
    input: z.strictObject({ campaignId: idText, inDoubt: z.boolean() }),
    output: z.object({ campaignId: z.string(), status: z.string(), retried: z.int(), inDoubt: z.int() }),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_SENT', 'CAMPAIGN_STARTING', 'CAMPAIGN_STOPPING'],
    transaction: 'own',
  },
});
