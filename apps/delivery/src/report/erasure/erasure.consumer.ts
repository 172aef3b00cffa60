import type { EventHandlers } from '#events';
import { ErasureRepository } from './erasure.repository.js';

/** Deleting a subscriber also deletes their data here; messages are erased in the background. */
export const erasureHandlers = {
  'subscriber.deleted': async (events, { manager }) => {
    const people = events.map(({ organizationId, data: { subscriberId } }) => ({ organizationId, subscriberId }));
    await new ErasureRepository(manager).insert(people);
  },
} satisfies EventHandlers;
