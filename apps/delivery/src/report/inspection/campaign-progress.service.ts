import type { LiveUpdates } from '#bus';
import { percentDone } from '#contracts';
import type { SendProgress } from '#contracts';
import type { EventHandlers } from '#events';
import type { SendListRepository } from './send-list.repository.js';
import type { ProgressRepository } from '../../send/progress.repository.js';

interface Dependencies {
  lists: Pick<SendListRepository, 'find'>;
  progresses: Pick<ProgressRepository, 'find'>;
  live: Pick<LiveUpdates, 'publishNumbers'>;
}

/**
 * Publishes the progress of sends by the events of messages, which this service reads anyway, so that sending itself
 * does nothing for it.
 */
export class CampaignProgressUpdates {
  constructor(private readonly dependencies: Dependencies) {}

  /** Publishes the progress of the campaigns that events are about, once a second and campaign at most. */
  note(events: readonly { organizationId: string; data: { campaignId?: string | null } }[]): void {
    for (const { organizationId, data } of events)
      if (data.campaignId?.startsWith('cmp_')) this.#publish(organizationId, data.campaignId);
  }

  get handlers() {
    return {
      'send.finished': (events) => Promise.resolve(this.note(events)),
      'send.retried': (events) => Promise.resolve(this.note(events)),
    } satisfies EventHandlers;
  }

  #publish(organization: string, campaignId: string): void {
    const { lists, progresses, live } = this.dependencies;
    live.publishNumbers({ name: 'campaign.progress', id: campaignId, organization }, async () => {
      const send = await lists.find(organization, { sendId: null, campaignId });
      const progress = send && (await progresses.find(organization, send.sendId));
      return progress && numbersOf(progress);
    });
  }
}

function numbersOf({ total, pending, deferred, sent, delivered, ...rest }: SendProgress) {
  const { bounced, failed, skipped, inDoubt, ratePerSecond } = rest;
  const percent = percentDone({ total, pending });
  return { total, pending, deferred, sent, delivered, bounced, failed, skipped, inDoubt, percent, ratePerSecond };
}
