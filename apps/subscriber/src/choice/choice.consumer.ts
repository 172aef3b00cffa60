import { events } from '#contracts';
import type { EventHandlers } from '#events';
import { StatusService } from '../subscriber/status.service.js';

/** Applies unsubscriptions that waited: from their stream, or as a dead letter that is replayed. */
export const choiceHandlers: EventHandlers = {
  'unsubscription.requested': async (requested, { manager, outbox }) => {
    const people = new StatusService(manager, outbox);
    for (const { organizationId, data } of requested) {
      const { subscriberId, at, ...by } = events['unsubscription.requested'].parse(data);
      const cause = { kind: 'link' as const, id: by.messageId };
      await people.unsubscribeAsOf(
        subscriberId,
        { ...by, reason: null },
        { organizationId, now: new Date(at), cause, triggerWorkflows: true },
      );
    }
  },
};
