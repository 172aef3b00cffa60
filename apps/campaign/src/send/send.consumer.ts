import type { EventHandlers } from '#events';
import { CampaignCounterRepository } from '../analytics/campaign-counter.repository.js';
import { withdrawnBounces } from '../analytics/campaign-counters.js';
import { SendRepository } from './send.repository.js';

/**
 * Ends campaigns when the delivery service has finished all their recipients, and reopens them when it retries some.
 */
export const sendHandlers = {
  'send.finished': async (events, { manager, outbox }) => {
    await new SendRepository(manager).updateFinished(events);
    for (const { organizationId: organization, data } of events)
      outbox.notify({ name: 'campaign.changed', id: data.campaignId, organization });
  },
  'send.retried': async (events, { manager, outbox, lane }) => {
    const sends = new SendRepository(manager);
    for (const { organizationId, data } of events) {
      await sends.updateRetried(organizationId, { id: data.campaignId, sendId: data.sendId }, data.at);
      outbox.notify({ name: 'campaign.changed', id: data.campaignId, organization: organizationId });
    }
    await new CampaignCounterRepository(manager).upsert(lane, events.map(withdrawnBounces));
  },
} satisfies EventHandlers;
