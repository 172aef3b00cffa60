import type { ServiceBus } from '#bus';
import { deliveryRequests } from '#contracts';
import type { campaignRequests, SendProgress } from '#contracts';
import { RemoteFailure, ToolError } from '#tool-call';
import type { Caller, Handlers } from '#tool-call';
import { assertCan } from '../campaign/campaign.js';
import type { CampaignRepository } from '../campaign/campaign.repository.js';

const transitions = {
  pause: { state: 'PAUSED', reason: 'Paused by request.' },
  resume: { state: 'RUNNING', reason: null },
  stop: { state: 'STOPPED', reason: 'Stopped by request.' },
} as const;

type SendHandlers = Pick<Handlers<typeof campaignRequests>, 'control_campaign'>;

export function sendRequestHandlers({
  campaigns,
  bus,
}: {
  campaigns: CampaignRepository;
  bus: ServiceBus;
}): SendHandlers {
  return {
    control_campaign: async ({ campaignId, action }, caller) => {
      const campaign = await campaigns.get(caller.organizationId, campaignId);
      assertCan('control', campaign);
      const { state } = await bus
        .client(deliveryRequests)
        .set_send_state({ sendId: campaign.sendId!, ...transitions[action] }, caller)
        .catch((error: unknown) => {
          throw isUnknownSend(error) ? new ToolError('CAMPAIGN_STARTING', {}) : error;
        });
      if (state === 'DONE') throw new ToolError('CAMPAIGN_NOT_SENDING', { status: 'finished' });
      if (state !== transitions[action].state) throw new ToolError('CAMPAIGN_STOPPING', {});
      return { campaignId: campaign.id, paused: state === 'PAUSED' };
    },
  };
}

export async function findSendProgress(bus: ServiceBus, sendId: string, caller: Caller): Promise<SendProgress | null> {
  try {
    return (await bus.client(deliveryRequests).get_send_progress({ sendId }, caller)).progress;
  } catch (error) {
    if (isUnknownSend(error)) return null;
    throw error;
  }
}

export const isUnknownSend = (error: unknown): boolean =>
  error instanceof RemoteFailure && error.failure.reason === 'SEND_NOT_FOUND';
