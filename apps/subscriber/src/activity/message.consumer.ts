import { decisionOf } from '#contracts';
import type { DomainEvent } from '#contracts';
import type { ConsumerContext, EventHandlers } from '#events';
import type { HashAddress } from '#link-token';
import { uuidOf } from '#database';
import { ActivityRepository } from './activity.repository.js';
import { CampaignRefRepository } from './campaign-ref.repository.js';
import { factOf } from './message-event.js';
import type { MessageEvent, SettledEvent } from './message-event.js';
import { keyOf, PastMailService } from './past-mail.service.js';

const keep = async (events: readonly MessageEvent[], { manager }: ConsumerContext): Promise<void> => {
  const facts = events.flatMap((event) => factOf(event) ?? []);
  if (facts.length > 0) await new ActivityRepository(manager).insertFacts(facts);
};

const keepSettled = async (events: readonly SettledEvent[], { manager }: ConsumerContext): Promise<void> =>
  await new ActivityRepository(manager).insertSettled(events);

const keepStarted = async (
  events: readonly DomainEvent<'send.started'>[],
  { manager }: ConsumerContext,
): Promise<void> => {
  const sends = events.map(({ organizationId, data: { sendId, campaignId, campaignName, subjectParts, at } }) => {
    const sendUuid = uuidOf('send', sendId) ?? '';
    return { organizationId, campaignId, sendUuid, from: at, to: at, name: campaignName, subjectParts };
  });
  await new CampaignRefRepository(manager).updateStarted(sends);
};

const insertFacts = (activity: ActivityRepository, events: readonly MessageEvent[]): Promise<string[]> =>
  activity.insertFacts(events.map((event) => factOf(event)!));

const insertRedirected = async (activity: ActivityRepository, events: readonly MessageEvent[]): Promise<string[]> =>
  events.length === 0
    ? []
    : await activity.insertFacts(
        events.map((event) => {
          const fact = factOf(event)!;
          return { ...fact, campaign: {}, data: { ...fact.data, source: 'former' } };
        }),
      );

async function keepBounces(
  events: DomainEvent<'message.bounced'>[],
  { manager }: ConsumerContext,
  hashAddress: HashAddress,
): Promise<void> {
  const about = events.filter(({ data }) => data.subscriberId !== null);
  if (about.length === 0) return;
  const activity = new ActivityRepository(manager);
  const ofOwn = await insertFacts(activity, about);
  const isHard = ({ data }: DomainEvent<'message.bounced'>) => data.bounceType === 'HARD';
  const redirected = await new PastMailService(manager, hashAddress).redirectHardBounces(about.filter(isHard));
  const uuids = [...ofOwn, ...(await insertRedirected(activity, redirected))];
  const bounces = [...about, ...redirected].map(({ organizationId, data }, i) => ({
    organizationId,
    subscriberId: data.subscriberId!,
    emailKey: keyOf(data.email),
    eventUuid: uuids[i]!,
    at: data.at,
    category: data.bounceCategory,
    hard: data.bounceType === 'HARD',
    // An older delivery does not report whether the relay was at fault: temporary failures are then not counted.
    counted: decisionOf(data, { retriesExhausted: false }).counted,
  }));
  const hard = bounces.filter((bounce) => bounce.hard);
  const soft = bounces.filter((bounce) => !bounce.hard && bounce.counted);
  if (hard.length > 0) await activity.updateHardBounced(hard);
  if (soft.length > 0) await activity.updateSoftBounced(soft);
}

async function keepComplaints(
  events: DomainEvent<'message.complained'>[],
  { manager }: ConsumerContext,
  hashAddress: HashAddress,
): Promise<void> {
  const about = events.filter(({ data }) => data.subscriberId !== null);
  if (about.length === 0) return;
  const activity = new ActivityRepository(manager);
  const ofOwn = await insertFacts(activity, about);
  const redirected = await new PastMailService(manager, hashAddress).redirectComplaints(about);
  const uuids = [...ofOwn, ...(await insertRedirected(activity, redirected))];
  // A complaint is a subscriber's, independent of the address.
  const complaints = [...about, ...redirected].map(({ organizationId, data }, i) => ({
    organizationId,
    subscriberId: data.subscriberId!,
    eventUuid: uuids[i]!,
    at: data.at,
    category: '',
    emailKey: null,
  }));
  await activity.updateComplained(complaints);
}

/** Each handler may get its events in any order, and each event once. */
export const messageHandlers = (hashAddress: HashAddress): EventHandlers => ({
  'messages.settled': keepSettled,
  'send.started': keepStarted,
  'message.sent': keep,
  'message.delivered': keep,
  'message.delayed': keep,
  'message.opened': keep,
  'message.clicked': keep,
  'message.bounced': (events, context) => keepBounces(events, context, hashAddress),
  'message.complained': (events, context) => keepComplaints(events, context, hashAddress),
});
