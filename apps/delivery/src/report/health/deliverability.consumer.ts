import type { ConsumerContext, EventHandlers } from '#events';
import { healthAdditionOf, trialVerdict } from './deliverability.js';
import type { HealthEvent } from './deliverability.js';
import { HealthRepository } from './deliverability.repository.js';
import type { HealthAddition, TrialAddition } from './deliverability.repository.js';

/** @param pausing whether campaigns that go wrong from the start are paused; `note` is told of every event */
export function healthHandlers({
  pausing,
  note,
}: {
  pausing: boolean;
  note: (events: readonly HealthEvent[]) => void;
}) {
  const count = async (events: readonly HealthEvent[], { manager, lane }: ConsumerContext) => {
    note(events);
    const health = new HealthRepository(manager);
    const { days, trials } = additionsOf(events);
    await health.upsert(lane, days);
    if (!pausing) return;
    for (const trial of await health.upsertTrials(trials)) {
      const reason = trialVerdict(trial, trial.total);
      if (reason !== null) await health.updatePaused(trial, reason);
    }
  };
  return {
    'message.sent': count,
    'message.delivered': count,
    'message.bounced': count,
    'message.complained': count,
  } satisfies EventHandlers;
}

function additionsOf(events: readonly HealthEvent[]): { days: HealthAddition[]; trials: TrialAddition[] } {
  const days = new Map<string, HealthAddition>();
  const trials = new Map<string, TrialAddition>();
  for (const event of events) {
    const addition = healthAdditionOf(event);
    if (!addition) continue;
    const { organizationId, data } = event;
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
    const trial = trials.get(campaignId) ?? { organizationId, campaignId, results: 0, newest: null, troubles: [] };
    trials.set(campaignId, trial);
    const { messageId } = data;
    trial.results += sent;
    // Ids are in the order of time, as they are written too.
    if (sent > 0 && (trial.newest === null || messageId > trial.newest)) trial.newest = messageId;
    if (bounced + complained > 0) trial.troubles.push({ messageId, bounced, complained });
  }
  return { days: [...days.values()], trials: [...trials.values()] };
}
