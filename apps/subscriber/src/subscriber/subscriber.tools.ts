import { subscriberTools } from '#contracts';
import type { Args } from '#contracts';
import { uuidOf } from '#database';
import type { CallContext, OrganizationSettingsCache } from '#service-host';
import { assertFresh, implement, summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { HistoryRepository } from '../history/history.repository.js';
import { cleanLine } from '../text/text.js';
import type { HashAddress } from '#link-token';
import { addressOf, parseProfile, profileOf, refusalOf } from './profile.js';
import type { Address, ProfileRefusal, Profile } from './profile.js';
import { StatusService } from './status.service.js';
import type { StatusChangeRequest } from './subscriber.js';
import { SubscriberRepository } from './subscriber.repository.js';
import { SubscriberViewRepository } from './subscriber-view.repository.js';
import type { SubscriberRef } from './subscriber-view.repository.js';
import { SubscriberService } from './subscriber.service.js';
import type { Saved, SaveOptions } from './subscriber.service.js';

type UpdateArgs = Args<(typeof subscriberTools)['calls']['update_subscriber']>;

interface Dependencies {
  settings: OrganizationSettingsCache;
  hashAddress: HashAddress;
}

export function implementSubscriberTools(context: CallContext, { settings, hashAddress }: Dependencies) {
  const { manager, outbox } = context;
  const views = new SubscriberViewRepository(manager);
  const identify = (ref: SubscriberRef, caller: Caller) => views.getId(caller.organizationId, ref);
  const save = saving(context, hashAddress);

  return implement(subscriberTools, {
    get_subscriber: async (who, caller) => ({
      subscriber: (await views.find(caller.organizationId, await identify(who, caller)))!,
    }),

    add_subscriber: async (args, caller) => {
      const person = checked(parseProfile(args)).person;
      const { doubleOptIn } = await settings.find(caller);
      const options = optionsOf(caller, { ...args, via: 'add', doubleOptIn });
      return await save(async (writer) => (await writer.save([person], options))[0]!, caller);
    },

    update_subscriber: async (args, caller) => {
      const change = changeOf(args);
      const { subscriber: text } = args;
      const id = await identify(uuidOf('sub', text) ? { subscriberId: text } : { email: text }, caller);
      const options = optionsOf(caller, {
        via: 'update',
        doubleOptIn: (await settings.find(caller)).doubleOptIn,
        resubscribe: args.resubscribe ?? false,
        skipDoubleOptIn: args.skipDoubleOptIn,
        triggerWorkflows: args.triggerWorkflows ?? true,
        // Without tags there is nothing to replace them by.
        replaceTags: (args.replaceTags ?? false) && args.tags !== undefined,
      });
      const update = async (writer: SubscriberService) => {
        const saved = await writer.update(id, change, options);
        if (!saved) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id: text, by: 'id or email' });
        return saved;
      };
      const { created: _, ...answer } = await save(update, caller, id);
      return answer;
    },

    unsubscribe: async ({ reason, ...who }, caller) => {
      const { organizationId, now, source, requestId } = caller;
      const id = await identify(who, caller);
      const done = await new StatusService(manager, outbox).unsubscribe(
        id,
        { reason: reason ? cleanLine(reason) : null, source, campaignId: null, messageId: null },
        { organizationId, now, cause: { kind: 'tool', id: requestId }, triggerWorkflows: true },
      );
      if (!done) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
      return { subscriber: { id, email: done.person.email, status: done.person.status } };
    },

    list_subscriber_events: async ({ eventType, limit, ...who }, caller) => {
      const id = await identify(who, caller);
      return await new HistoryRepository(manager).list(caller.organizationId, id, { type: eventType ?? null, limit });
    },
  });
}

/** Returns a function that saves a subscriber in a transaction and answers it; `existing`: the id of one that is updated. */
const saving =
  (context: CallContext, hashAddress: HashAddress) =>
  (work: (service: SubscriberService) => Promise<Saved>, caller: Caller, existing?: string) =>
    context.transaction(async (inner) => {
      await assertFreshSubscriber(inner, existing, caller);
      const service = new SubscriberService(inner.manager, inner.outbox, hashAddress);
      const { id, created, news, warning } = await work(service);
      const warnings = [...news, ...(warning ? [warning] : [])];
      const subscriber = (await new SubscriberViewRepository(inner.manager).find(caller.organizationId, id))!;
      return { subscriber, created, ...(warnings.length > 0 && { warnings }) };
    });

/** Locks the subscriber of a call with If-Match. */
async function assertFreshSubscriber(
  { manager }: CallContext,
  id: string | undefined,
  { organizationId, ifMatch }: Caller,
): Promise<void> {
  if (id === undefined || ifMatch === undefined) return;
  await new SubscriberRepository(manager).lockById(organizationId, id);
  const found = await new SubscriberViewRepository(manager).find(organizationId, id);
  if (found) assertFresh(ifMatch, found.updatedAt);
}

const optionsOf = (
  { organizationId, now, source, requestId, bounds }: Caller,
  {
    triggerWorkflows,
    replaceTags,
    via,
    resubscribe,
    skipDoubleOptIn,
    doubleOptIn,
  }: StatusChangeRequest & Pick<SaveOptions, 'triggerWorkflows' | 'replaceTags'>,
): SaveOptions => ({
  organizationId,
  now,
  source,
  bounds,
  triggerWorkflows,
  replaceTags,
  cause: { kind: 'tool', id: requestId },
  wish: { via, resubscribe, skipDoubleOptIn, doubleOptIn },
});

function changeOf(args: UpdateArgs): { profile: Profile; address: Address | null } {
  const address = args.email === undefined ? null : checked(addressOf(args.email)).address;
  return { profile: checked(profileOf(args)).profile, address };
}

export function checked<R extends { ok: true }>(read: R | { ok: false; refusal: ProfileRefusal }): R {
  if (read.ok) return read;
  const { refusal } = read;
  if (refusal.problem !== 'EMAIL_INVALID') throw refusalOf(refusal);
  const issues = [refusal.issue];
  throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}
