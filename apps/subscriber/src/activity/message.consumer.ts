import type { DomainEvent } from '#contracts';
import type { ConsumerContext, EventHandlers } from '#events';
import type { HashAddress } from '../subscriber/address-hash.js';
import { FormerSubscriberRepository } from '../subscriber/former-subscriber.repository.js';
import { addressOf } from '../subscriber/person.js';
import { ActivityRepository } from './activity.repository.js';
import { factOf } from './message-fact.js';
import type { MessageEvent } from './message-fact.js';

const keep = async (events: readonly MessageEvent[], { manager }: ConsumerContext): Promise<void> => {
  const facts = events.flatMap((event) => factOf(event) ?? []);
  if (facts.length > 0) await new ActivityRepository(manager).insertFacts(facts);
};

function keyOf(email: string): string | null {
  const read = addressOf(email);
  return read.ok ? read.address.emailKey : null;
}

/** Facts first, then what they make of the addresses: marks, and statuses. */
async function keepBounces(
  events: DomainEvent<'message.bounced'>[],
  { manager }: ConsumerContext,
  hashAddress: HashAddress,
): Promise<void> {
  const about = events.filter(({ data }) => data.subscriberId !== null);
  if (about.length === 0) return;
  const activity = new ActivityRepository(manager);
  const uuids = await activity.insertFacts(about.map((event) => factOf(event)!));
  const bounces = about.map(({ organizationId, data }, i) => ({
    organizationId,
    subscriberId: data.subscriberId!,
    emailKey: keyOf(data.email),
    eventUuid: uuids[i]!,
    at: data.at,
    category: data.bounceCategory,
    hard: data.bounceType === 'HARD',
  }));
  const hard = bounces.filter((bounce) => bounce.hard);
  const soft = bounces.filter((bounce) => !bounce.hard);
  if (hard.length > 0) {
    await activity.updateHardBounced(hard);
    const farewells = hard.flatMap(({ organizationId, subscriberId, emailKey, at }) =>
      emailKey === null
        ? []
        : [{ organizationId, subscriberId, at, addressHash: hashAddress(organizationId, emailKey) }],
    );
    await new FormerSubscriberRepository(manager).mark('hard_bounced', farewells);
  }
  if (soft.length > 0) await activity.updateSoftBounced(soft);
}

async function keepComplaints(
  events: DomainEvent<'message.complained'>[],
  { manager }: ConsumerContext,
): Promise<void> {
  const about = events.filter(({ data }) => data.subscriberId !== null);
  if (about.length === 0) return;
  const activity = new ActivityRepository(manager);
  const uuids = await activity.insertFacts(about.map((event) => factOf(event)!));
  // A person complains, by whichever address.
  const complaints = about.map(({ organizationId, data }, i) => ({
    ...{ organizationId, subscriberId: data.subscriberId!, eventUuid: uuids[i]!, at: data.at, category: '' },
    emailKey: null,
  }));
  await activity.updateComplained(complaints);
  await new FormerSubscriberRepository(manager).mark('complained', complaints);
}

/** What delivery's facts change here. Each handler may meet its events in any order, and each event once. */
export const messageHandlers = (hashAddress: HashAddress): EventHandlers => ({
  'message.sent': keep,
  'message.delivered': keep,
  'message.delayed': keep,
  'message.opened': keep,
  'message.clicked': keep,
  'message.bounced': (events, context) => keepBounces(events, context, hashAddress),
  'message.complained': keepComplaints,
});
