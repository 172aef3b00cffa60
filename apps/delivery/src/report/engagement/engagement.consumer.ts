import type { DomainEvent, EngagementKind } from '#contracts';
import type { ConsumerContext, EventHandlers } from '#events';
import { hourOf, seriesAddition } from '#time-series';
import type { SeriesEvent } from '#time-series';
import { EngagementRepository } from './engagement.repository.js';
import type { EngagementAddition } from './engagement.repository.js';

const knownMax = 10_000;

const isWithoutMail = ({ data }: SeriesEvent): boolean => 'messageId' in data && data.messageId === null;

export function engagementHandlers() {
  const known = new Map<string, EngagementKind>();

  const kindOf = async (
    engagement: EngagementRepository,
    { organizationId, data: { campaignId } }: { organizationId: string; data: { campaignId: string | null } },
  ): Promise<EngagementKind> => {
    if (campaignId === null) return 'TRANSACTIONAL';
    const before = known.get(campaignId);
    if (before) return before;
    const kind = (await engagement.isCampaign(organizationId, campaignId)) ? 'CAMPAIGN' : 'WORKFLOW';
    if (known.size >= knownMax) known.clear();
    known.set(campaignId, kind);
    return kind;
  };

  const count = async (events: readonly SeriesEvent[], { manager, lane }: ConsumerContext): Promise<void> => {
    const engagement = new EngagementRepository(manager);
    const additions: EngagementAddition[] = [];
    for (const event of events) {
      const added = seriesAddition(event);
      // Subscribers also leave without any mail.
      if (!added || (event.data.campaignId === null && isWithoutMail(event))) continue;
      const { organizationId } = event;
      const kind = await kindOf(engagement, event);
      additions.push({ organizationId, kind, hour: hourOf(added.at), counts: added.counts });
    }
    await engagement.upsert(lane, additions);
  };

  /** Subtracts the soft bounces of a retried send: those messages are pending again. */
  const withdraw = async (
    events: readonly DomainEvent<'send.retried'>[],
    { manager, lane }: ConsumerContext,
  ): Promise<void> => {
    const additions = events.map(({ organizationId, data }) => ({
      organizationId,
      kind: 'CAMPAIGN' as const,
      hour: hourOf(data.at),
      counts: { bounced: -data.softBounces },
    }));
    await new EngagementRepository(manager).upsert(lane, additions);
  };

  return {
    'messages.settled': count,
    'message.sent': count,
    'message.delivered': count,
    'message.bounced': count,
    'message.complained': count,
    'message.opened': count,
    'message.clicked': count,
    'subscriber.unsubscribed': count,
    'send.retried': withdraw,
  } satisfies EventHandlers;
}
