import { percentDone } from '#contracts';
import type { campaignTools, SendProgress } from '#contracts';
import type { Handlers } from '#tool-call';
import { findSendProgress } from '../send/send.requests.js';
import type { Campaign } from './campaign.js';
import { getCampaign } from './campaign.service.js';
import type { CampaignDependencies } from './campaign.service.js';

export const progressHandlers = (
  parts: CampaignDependencies,
): Pick<Handlers<typeof campaignTools>, 'get_campaign_progress'> => ({
  get_campaign_progress: async ({ campaignId }, caller) => {
    const campaign = await getCampaign(parts, campaignId, caller);
    const known = campaign.sendId !== null && (campaign.handedOverAt !== null || campaign.finishedAt !== null);
    return campaignProgress(campaign, known ? await findSendProgress(parts.bus, campaign.sendId!, caller) : null);
  },
});

/** Progress of a campaign; `send` is null before the delivery service has it. */
export function campaignProgress(campaign: Campaign, send: SendProgress | null) {
  const { total, pending } = send ?? { total: 0, pending: 0 };
  return {
    campaignId: campaign.id,
    status: campaign.status,
    total,
    pending,
    deferred: send?.deferred ?? 0,
    sent: send?.sent ?? 0,
    delivered: send?.delivered ?? 0,
    bounced: send?.bounced ?? 0,
    failed: send?.failed ?? 0,
    skipped: send?.skipped ?? {},
    inDoubt: send?.inDoubt ?? 0,
    percent: percentDone({ total, pending }),
    paused: send?.state === 'PAUSED',
    pausedReason: send?.pausedReason ?? null,
    waitingFor: send ? send.waitingFor : campaign.waitingFor,
    startedAt: campaign.startedAt?.toISOString() ?? null,
    finishedAt: campaign.finishedAt?.toISOString() ?? null,
    ratePerSecond: send?.ratePerSecond ?? 0,
  };
}
