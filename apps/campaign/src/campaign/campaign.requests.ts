import type { ServiceBus } from '#bus';
import { campaignRequests } from '#contracts';
import { implement } from '#tool-call';
import { sendRequestHandlers } from '../send/send.requests.js';
import type { CampaignLookupRepository } from './campaign-lookup.repository.js';
import type { CampaignRepository } from './campaign.repository.js';

interface Parts {
  campaigns: CampaignRepository;
  lookups: CampaignLookupRepository;
  bus: ServiceBus;
}

/** What other services and the operator ask of campaigns. */
export const implementCampaignRequests = ({ campaigns, lookups, bus }: Parts) =>
  implement(campaignRequests, {
    ...sendRequestHandlers({ campaigns, bus }),

    find_campaigns: async (asked, { organizationId }) => ({
      campaigns: await lookups.listNamed(organizationId, asked),
    }),

    list_filter_users: async ({ references }, { organizationId }) => ({
      users: await lookups.listLiveNaming(organizationId, references),
    }),

    get_campaign_totals: async (_args, { organizationId }) => await lookups.getTotals(organizationId),
  });
