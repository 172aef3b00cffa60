import { z } from 'zod';
import { filters, idText, timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { campaignStatus } from '../tools/campaign.js';
import { campaignRecipient } from './recipient.js';

/** Asked of the campaign service: what a campaign's audience was or will be decided by. */
export const explainCampaignRequests = defineRequests('campaign', {
  get_campaign_audience: {
    input: z.strictObject({ campaignId: idText }),
    output: z.object({
      campaignId: z.string(),
      name: z.string(),
      status: campaignStatus,
      filters,
      scheduledAt: timestamp.nullable(),
      /** When the audience was frozen, which is when the send began; null before. */
      startedAt: timestamp.nullable(),
      sendId: z.string().nullable(),
      /** The frozen audience; null before the send and after its release. */
      audienceId: z.string().nullable(),
      failure: z.string().nullable(),
    }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'read',
  },
});

/** A message, and what it belongs to. */
export const explainedMessage = campaignRecipient.extend({
  subscriberId: z.string().nullable(),
  campaignId: z.string().nullable(),
  campaignName: z.string().nullable(),
  subject: z.string(),
  createdAt: timestamp,
  /** When the next attempt is due; null if none is. */
  dueAt: timestamp.nullable(),
});
export type ExplainedMessage = z.infer<typeof explainedMessage>;

/** Asked of the delivery service: the message of a subscriber, or a message by its id. */
export const explainMessageRequests = defineRequests('delivery', {
  find_message: {
    input: z.strictObject({
      messageId: idText.nullable(),
      sendId: idText.nullable(),
      subscriberId: idText.nullable(),
    }),
    output: z.object({
      message: explainedMessage.nullable(),
      /** Of the named send: why nothing goes out, while nothing does. */
      send: z
        .object({ state: z.string(), pausedReason: z.string().nullable(), waitingFor: z.string().nullable() })
        .nullable(),
    }),
    errors: [],
    transaction: 'read',
  },
});
