import type { ServiceBus } from '#bus';
import { campaignRecipientRequests, recipientRequests } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { CampaignRepository } from '../campaign/campaign.repository.js';
import type { SendRepository } from './send.repository.js';
import { findSendProgress, isUnknownSend } from './send.requests.js';

interface Dependencies {
  campaigns: CampaignRepository;
  sends: SendRepository;
  bus: ServiceBus;
}

const nobodyYet = { total: 0, pending: 0, recipients: [], nextCursor: null };

/** Implements requests for the recipients reached and missed by a campaign, and for retrying the latter. */
export const implementRecipientRequests = ({ campaigns, sends, bus }: Dependencies) =>
  implement(campaignRecipientRequests, {
    list_campaign_recipients: async ({ campaignId, ...page }, caller) => {
      const { id, status, sendId } = await campaigns.get(caller.organizationId, campaignId);
      const answer = { campaignId: id, status };
      const progress = sendId === null ? null : await findSendProgress(bus, sendId, caller);
      if (progress === null) return { ...answer, ...nobodyYet };
      const { total, pending } = progress;
      const found = await bus.client(recipientRequests).list_recipients({ sendId: sendId!, ...page }, caller);
      return { ...answer, total, pending, ...found };
    },

    retry_campaign: async ({ campaignId, inDoubt }, caller) => {
      const { organizationId } = caller;
      const campaign = await campaigns.get(organizationId, campaignId);
      const { id, status, sendId } = campaign;
      if (sendId === null || !['SENDING', 'SENT', 'FAILED'].includes(status)) {
        throw new ToolError('CAMPAIGN_NOT_SENT', { status });
      }
      const { retriedAt, ...counts } = await bus
        .client(recipientRequests)
        .retry_send({ sendId, inDoubt }, caller)
        .catch((error: unknown) => {
          if (!isUnknownSend(error)) throw error;
          throw status === 'SENDING'
            ? new ToolError('CAMPAIGN_STARTING', {})
            : new ToolError('CAMPAIGN_NOT_SENT', { status });
        });
      if (retriedAt !== null) await sends.updateRetried(organizationId, { id, sendId }, retriedAt);
      return { campaignId: id, status: (await campaigns.get(organizationId, id)).status, ...counts };
    },
  });
