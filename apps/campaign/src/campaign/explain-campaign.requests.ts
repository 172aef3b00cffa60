import { explainCampaignRequests } from '#contracts';
import { wireId } from '#database';
import { implement } from '#tool-call';
import type { CampaignRepository } from './campaign.repository.js';

export const implementExplainCampaign = (campaigns: CampaignRepository) =>
  implement(explainCampaignRequests, {
    get_campaign_audience: async ({ campaignId }, { organizationId }) => {
      const { campaign, audienceId } = await campaigns.getWithAudience(organizationId, campaignId);
      return {
        campaignId: campaign.id,
        name: campaign.name,
        status: campaign.status,
        filters: campaign.filters,
        scheduledAt: campaign.scheduledAt?.toISOString() ?? null,
        startedAt: campaign.startedAt?.toISOString() ?? null,
        sendId: campaign.sendId,
        audienceId: audienceId && wireId('aud', audienceId),
        failure: campaign.failure,
        waitingFor: campaign.waitingFor,
      };
    },
  });
