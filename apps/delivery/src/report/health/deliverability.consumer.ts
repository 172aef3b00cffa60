import { isSent } from '#contracts';
import { wireId } from '#database';
import { settledMessages, settledMessageUuid } from '#events';
import type { ConsumerContext, EventHandlers, SettledData } from '#events';
import { healthAdditionOf, earlyResultsVerdict } from './deliverability.js';
import type { DeliverabilityEvent } from '../../message/message-events.js';
import { DeliverabilityRepository } from './deliverability.repository.js';
import type { DeliverabilityAddition, EarlyResultsAddition } from './deliverability.repository.js';

/** @param pausing whether campaigns with bad early results are paused; `note` receives every event */
export function healthHandlers({
  pausing,
  note,
}: {
  pausing: boolean;
  note: (events: readonly DeliverabilityEvent[]) => void;
}) {
  const count = async (events: readonly DeliverabilityEvent[], { manager, outbox, lane }: ConsumerContext) => {
    note(events);
    const health = new DeliverabilityRepository(manager);
    const { days, earlyResults } = additionsOf(events);
    await health.upsert(lane, days);
    if (!pausing) return;
    for (const early of await health.upsertEarlyResults(earlyResults)) {
      const reason = earlyResultsVerdict(early, early.total);
      if (reason === null) continue;
      await health.updatePaused(early, reason);
      outbox.notify({ name: 'campaign.changed', id: early.campaignId, organization: early.organizationId });
    }
  };
  return {
    'messages.settled': count,
    'message.sent': count,
    'message.delivered': count,
    'message.bounced': count,
    'message.complained': count,
  } satisfies EventHandlers;
}

function additionsOf(events: readonly DeliverabilityEvent[]): {
  days: DeliverabilityAddition[];
  earlyResults: EarlyResultsAddition[];
} {
  const days = new Map<string, DeliverabilityAddition>();
  const earlyResults = new Map<string, EarlyResultsAddition>();
  for (const event of events) {
    const addition = healthAdditionOf(event);
    if (!addition) continue;
    const { organizationId, name, data } = event;
    const { sent = 0, delivered = 0, bounced = 0, complained = 0 } = addition;
    const day = data.at.slice(0, 10);
    const ofDay = days.get(`${organizationId} ${day}`) ?? {
      organizationId,
      day,
      sent: 0,
      delivered: 0,
      bounced: 0,
      complained: 0,
    };
    days.set(`${organizationId} ${day}`, ofDay);
    ofDay.sent += sent;
    ofDay.delivered += delivered;
    ofDay.bounced += bounced;
    ofDay.complained += complained;
    const { campaignId } = data;
    if (!campaignId?.startsWith('cmp_')) continue;
    const early = earlyResults.get(campaignId) ?? {
      organizationId,
      campaignId,
      results: 0,
      newest: null,
      troubles: [],
    };
    earlyResults.set(campaignId, early);
    const messageId = name === 'messages.settled' ? lastSentOf(data) : data.messageId;
    if (messageId === null) continue;
    early.results += sent;
    // Ids are in the order of time, as they are written too.
    if (sent > 0 && (early.newest === null || messageId > early.newest)) early.newest = messageId;
    if (bounced + complained > 0) early.troubles.push({ messageId, bounced, complained });
  }
  return { days: [...days.values()], earlyResults: [...earlyResults.values()] };
}

/** The newest message of a group that left; null if none did. */
function lastSentOf(data: SettledData): string | null {
  const last = settledMessages(data).findLast(({ outcome }) => isSent(outcome));
  return last ? wireId('msg', settledMessageUuid(data, last.position)) : null;
}
