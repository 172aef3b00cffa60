import type { ConsumerContext, EventHandlers } from '#events';
import { additionOf } from './campaign-counters.js';
import type { CountedEvent } from './campaign-counters.js';
import { CampaignCounterRepository } from './campaign-counter.repository.js';

const count = async (events: readonly CountedEvent[], { manager, lane }: ConsumerContext) => {
  const additions = events.map(additionOf).filter((addition) => addition !== null);
  await new CampaignCounterRepository(manager).upsert(lane, additions);
};

/** Counts the events of a campaign's messages, including simulated ones. */
export const statisticHandlers = {
  'messages.settled': count,
  'message.sent': count,
  'message.delivered': count,
  'message.bounced': count,
  'message.opened': count,
  'message.clicked': count,
  'message.complained': count,
  'subscriber.unsubscribed': count,
} satisfies EventHandlers;
