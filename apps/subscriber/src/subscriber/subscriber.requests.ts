import { subscriberRequests } from '#contracts';
import type { CallContext } from '#service-host';
import { implement } from '#tool-call';
import type { Caller } from '#tool-call';
import { SubscriberRepository } from './subscriber.repository.js';
import { audienceHandlers } from '../audience/audience.requests.js';
import type { AudienceDependencies } from '../audience/audience.requests.js';
import { TagRepository } from '../tag/tag.repository.js';
import { TagService } from '../tag/tag.service.js';
import { StatusService } from './status.service.js';
import { canResubscribe } from './subscriber.js';

/** The address that a page may show: an old link does not reveal which one its successor has by now. */
const emailOf = (done: { person: { email: string }; isSuccessor: boolean } | null): string | null =>
  done && !done.isSuccessor ? done.person.email : null;

export function implementSubscriberRequests(context: CallContext, parts: AudienceDependencies) {
  const { manager, outbox } = context;
  const people = new StatusService(manager, outbox);
  const byLink = (caller: Caller, id: string | null) => ({
    organizationId: caller.organizationId,
    now: caller.now,
    cause: { kind: 'link' as const, id },
    triggerWorkflows: true,
  });
  return implement(subscriberRequests, {
    ...audienceHandlers(context, parts),
    count_contacts: async (_args, { organizationId }) => ({
      contacts: await new SubscriberRepository(context.manager).count(organizationId),
    }),

    unsubscribe_by_link: async ({ subscriberId, ...by }, caller) => {
      const done = await people.unsubscribe(subscriberId, { ...by, reason: null }, byLink(caller, by.messageId));
      const resubscribable = done !== null && canResubscribe(done.person);
      return { email: emailOf(done), changed: done?.changed ?? false, resubscribable };
    },

    resubscribe_by_link: async ({ subscriberId }, caller) => {
      const done = await people.resubscribe(subscriberId, 'preferences', byLink(caller, null));
      return { email: emailOf(done), changed: done?.changed ?? false };
    },

    change_tags_by_link: async ({ subscriberId, add, remove }, caller) => {
      const meant = (names: readonly string[]) => new TagRepository(manager).listMeant(caller.organizationId, names);
      const changes = { add: await meant(add), remove: await meant(remove) };
      await new TagService(manager, outbox).change([subscriberId], changes, byLink(caller, null));
      return {};
    },
  });
}
