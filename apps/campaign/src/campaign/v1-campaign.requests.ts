import { campaignViewRequests, subscriberRequests } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { Handlers } from '#tool-call';
import type { CampaignDependencies } from './campaign.service.js';
import type { V1CampaignRepository, CountedCampaign } from './v1-campaign.repository.js';

const viewOf = (campaign: CountedCampaign) => ({
  id: campaign.id,
  campaignId: campaign.id,
  name: campaign.name,
  subject: campaign.subject,
  preview: campaign.preview,
  status: campaign.status,
  contentType: campaign.contentType,
  sendAt: campaign.scheduledAt?.toISOString() ?? null,
  scheduledAt: campaign.scheduledAt?.toISOString() ?? null,
  recipientCount: campaign.recipientCount,
  emailsSentCount: campaign.sent,
  emailsOpenedCount: campaign.opened,
  emailsClickedCount: campaign.clicked,
  createdAt: campaign.createdAt.toISOString(),
  updatedAt: campaign.updatedAt.toISOString(),
});

export const deleteCampaign =
  (views: V1CampaignRepository): Handlers<typeof campaignViewRequests>['delete_campaign'] =>
  async ({ campaignId }, { organizationId }) => {
    if (await views.delete(organizationId, campaignId)) return { campaignId };
    const campaign = await views.find(organizationId, campaignId);
    if (!campaign) throw new ToolError('CAMPAIGN_NOT_FOUND', { id: campaignId });
    throw new ToolError('CAMPAIGN_NOT_DRAFT', { status: campaign.status });
  };

export const implementCampaignViewRequests = ({
  views,
  senders,
  bus,
}: Pick<CampaignDependencies, 'senders' | 'bus'> & { views: V1CampaignRepository }) =>
  implement(campaignViewRequests, {
    list_campaign_views: async (asked, { organizationId }) => {
      const { campaigns, total } = await views.list(organizationId, asked);
      const { page, limit } = asked;
      return { campaigns: campaigns.map(viewOf), total, page, limit, pageCount: Math.ceil(total / limit) };
    },

    get_campaign_details: async ({ campaignId }, caller) => {
      const campaign = await views.find(caller.organizationId, campaignId);
      if (!campaign) throw new ToolError('CAMPAIGN_NOT_FOUND', { id: campaignId });
      const { filters, senderId, replyTo, timezone, content } = campaign;
      const sender = await senders.find(senderId, caller);
      // A filter with a deleted target gives no count here; scheduling refuses it.
      const counted = async () =>
        await bus
          .client(subscriberRequests)
          .count_recipients({ filters }, caller)
          .catch(() => null);
      return {
        campaign: {
          ...viewOf(campaign),
          recipientCount: campaign.recipientCount ?? (await counted())?.total ?? null,
          content,
          replyTo,
          senderId,
          timezone,
          recipientFilters: filters,
          sender: sender && {
            id: sender.id,
            name: sender.displayName,
            displayName: sender.displayName,
            localPart: sender.localPart,
            replyTo: sender.replyTo,
            domain: { domain: sender.domain },
          },
        },
      };
    },

    delete_campaign: deleteCampaign(views),
  });
