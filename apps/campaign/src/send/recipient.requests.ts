import type { ServiceBus } from '#bus';
import { campaignRecipientRequests, recipientRequests } from '#contracts';
import type { Input } from '#contracts';
import { implement, ToolError } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import type { CampaignRepository } from '../campaign/campaign.repository.js';
import type { SendRepository } from './send.repository.js';
import { findSendProgress, isUnknownSend } from './send.requests.js';

export interface RecipientDependencies {
  campaigns: CampaignRepository;
  sends: SendRepository;
  bus: ServiceBus;
}

type RecipientPage = Omit<Input<(typeof recipientRequests)['calls']['list_recipients']>, 'sendId'>;

const nobodyYet = { total: 0, pending: 0, recipients: [], nextCursor: null, counts: undefined };

export async function listRecipients(
  { campaigns, bus }: Omit<RecipientDependencies, 'sends'>,
  { campaignId, ...page }: RecipientPage & { campaignId: string },
  caller: Caller,
) {
  const { id, status, sendId } = await campaigns.get(caller.organizationId, campaignId);
  const answer = { campaignId: id, status };
  const progress = sendId === null ? null : await findSendProgress(bus, sendId, caller);
  if (progress === null) return { ...answer, ...nobodyYet };
  const { total, pending } = progress;
  const found = await bus.client(recipientRequests).list_recipients({ sendId: sendId!, ...page }, caller);
  return { ...answer, total, pending, ...found };
}

export const recipientHandlers = (dependencies: RecipientDependencies): Handlers<typeof campaignRecipientRequests> => ({
  list_campaign_recipients: async (page, caller) => {
    const { counts: _counts, ...listed } = await listRecipients(dependencies, page, caller);
    return listed;
  },

  retry_campaign: async ({ campaignId, inDoubt }, caller) => {
    const { campaigns, sends, bus } = dependencies;
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

export const implementRecipientRequests = (dependencies: RecipientDependencies) =>
  implement(campaignRecipientRequests, recipientHandlers(dependencies));
