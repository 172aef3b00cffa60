import type { EventHandlers } from '#events';
import { mailboxHashOf } from '../../message/address-hash.js';
import { ErasureRepository } from './erasure.repository.js';

/** Deleting a subscriber also deletes their data here; messages are erased in the background. */
export const erasureHandlers = {
  'subscriber.deleted': async (events, { manager }) => {
    const people = events.map(({ organizationId, data: { subscriberId, addressHash, campaignMessageIds } }) => ({
      organizationId,
      subscriberId,
      mailboxHash: addressHash === undefined ? null : mailboxHashOf(addressHash),
      messageIds: campaignMessageIds ?? [],
    }));
    await new ErasureRepository(manager).insert(people);
  },
} satisfies EventHandlers;
