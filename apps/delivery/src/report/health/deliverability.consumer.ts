import { isSent } from '#contracts';
import { slotOf } from '#database';
import type { ConsumerContext, EventHandlers, SettledData } from '#events';
import { healthAdditionOf, earlyResultsVerdict } from './deliverability.js';
import type { DeliverabilityEvent } from '../../message/message-events.js';
import { DeliverabilityRepository } from './deliverability.repository.js';
import type { DeliverabilityAddition, EarlyResultsAddition, SlotRange } from './deliverability.repository.js';

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
      sentIds: [],
      sentSlots: [],
      troubles: [],
    };
    earlyResults.set(campaignId, early);
    early.results += sent;
    if (name === 'messages.settled') {
      early.sentSlots.push(...sentSlotsOf(data));
      continue;
    }
    if (sent > 0) early.sentIds.push(data.messageId);
    if (bounced + complained > 0) early.troubles.push({ messageId: data.messageId, bounced, complained });
  }
  return { days: [...days.values()], earlyResults: [...earlyResults.values()] };
}

/** The messages of a group that left. */
function sentSlotsOf({ chunk, positions, outcome, exceptions }: SettledData): SlotRange[] {
  const others = new Map(exceptions.map((one) => [one.position, one.outcome]));
  const ranges: SlotRange[] = [];
  for (const [from, to] of positions) {
    let begin: number | null = null;
    for (let position = from; position <= to + 1; position++) {
      const isOut = position <= to && isSent(others.get(position) ?? outcome);
      if (isOut) begin ??= position;
      else if (begin !== null) {
        ranges.push([slotOf(chunk, begin), slotOf(chunk, position - 1)]);
        begin = null;
      }
    }
  }
  return ranges;
}
