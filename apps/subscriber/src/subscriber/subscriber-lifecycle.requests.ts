import { subscriberLifeRequests } from '#contracts';
import { newId } from '#database';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { exportFileHandlers } from '../export/export.requests.js';
import { SuppressionRepository } from '../suppression/suppression.repository.js';
import { SuppressionService } from '../suppression/suppression.service.js';
import { cleanLine } from '../text/text.js';
import type { HashAddress } from '#link-token';
import { SubscriberChangeService } from './subscriber-change.service.js';
import { deleteSubscriber } from './deletion.service.js';
import { addressOf } from './profile.js';
import type { Address } from './profile.js';
import { NewSubscriberRepository } from './new-subscriber.repository.js';
import { StatusService } from './status.service.js';
import { suppressionOf } from './subscriber.js';
import type { SubscriberState } from './subscriber.js';
import { SubscriberRepository } from './subscriber.repository.js';
import { checked } from './subscriber.tools.js';
import { SubscriberViewRepository } from './subscriber-view.repository.js';
import { SubscriberService } from './subscriber.service.js';

/** Longest name that is kept (API text, Subscribers). */
const nameLengthMax = 255;

export function implementLifecycleRequests(context: CallContext, { hashAddress }: { hashAddress: HashAddress }) {
  const { manager, outbox } = context;
  const people = new StatusService(manager, outbox);
  const byLink = ({ organizationId, now }: Caller) => ({
    organizationId,
    now,
    triggerWorkflows: true,
    cause: { kind: 'link' as const, id: null },
  });
  return implement(subscriberLifeRequests, {
    ...exportFileHandlers(context),

    confirm_subscription: async ({ subscriberId, linkMadeAt, ...evidence }, caller) =>
      await people.confirm(subscriberId, { ...evidence, linkMadeAt: new Date(linkMadeAt) }, byLink(caller)),

    resend_confirmation: async ({ subscriberId }, caller) => ({
      sent: await people.resendConfirmation(subscriberId, byLink(caller)),
    }),

    rename_by_link: async ({ subscriberId, name }, caller) => {
      // Cleaned again: the cut may leave half a character, which no jsonb takes.
      const profile = { ...unsaid, name: cleanLine((cleanLine(name) ?? '').slice(0, nameLengthMax)) };
      const change = { via: 'update' as const, resubscribe: false, skipDoubleOptIn: false, doubleOptIn: true };
      const options = { ...byLink(caller), source: 'preferences', replaceTags: false, wish: change };
      const writer = new SubscriberService(manager, outbox, hashAddress);
      return { changed: (await writer.update(subscriberId, { profile, address: null }, options)) !== null };
    },

    set_ban: async ({ email, banned }, { organizationId, now, requestId }) => {
      const { address } = checked(addressOf(email));
      const options = { organizationId, now, cause: { kind: 'operator' as const, id: requestId } };
      const status = await new SuppressionService(manager, outbox, hashAddress).setBan(address, banned, options);
      return { email: address.email, status };
    },

    review_suppressions: async (page, { organizationId, now, requestId }) => {
      const options = { organizationId, now, cause: { kind: 'operator' as const, id: requestId } };
      return await new SuppressionService(manager, outbox, hashAddress).review(page, options);
    },

    delete_subscriber: async (who, caller) => {
      const id = await new SubscriberViewRepository(manager).getId(caller.organizationId, who);
      const gone = await deleteSubscriber(id, { sql: manager, outbox, hashAddress }, caller);
      if (!gone) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
      return { id, email: gone.email };
    },

    admit_transactional: async ({ email }, caller) =>
      await admit(context, checked(addressOf(email)).address, { hashAddress, caller }),

    list_suppressed_addresses: async ({ emails }, { organizationId }) => {
      const addresses = emails.map((email) => {
        const { emailKey } = checked(addressOf(email)).address;
        return { email, emailKey, addressHash: hashAddress(organizationId, emailKey) };
      });
      const known = await new SuppressionRepository(manager).listMarked(organizationId, addresses);
      const marks = new Map(known.map((one) => [one.emailKey, suppressionOf(one)]));
      const suppressed = addresses.flatMap(({ email, emailKey }) => {
        const mark = marks.get(emailKey);
        return mark ? [{ email, mark }] : [];
      });
      return { suppressed };
    },

    identify_subscriber: async (who, { organizationId }) =>
      await identify(new SubscriberViewRepository(manager), organizationId, who),
  });
}

/** A subscriber with the ids of all campaign mail to them, whatever their address was. */
async function identify(
  subscribers: SubscriberViewRepository,
  organizationId: string,
  who: Parameters<SubscriberViewRepository['identify']>[1],
) {
  const found = await subscribers.identify(organizationId, who);
  const campaignMessageIds = await subscribers.listCampaignMessageIds(organizationId, found.subscriberId);
  return { ...found, campaignMessageIds };
}

const unsaid = { name: undefined, phone: undefined, country: undefined, ip: undefined, fields: new Map(), tags: [] };

async function admit(context: CallContext, address: Address, by: { hashAddress: HashAddress; caller: Caller }) {
  const known = await new SubscriberRepository(context.manager).findByKey(by.caller.organizationId, address.emailKey);
  return known ? admitted(known) : await context.transaction((within) => admitNew(within, address, by));
}

const unmarked = { banned: false, hardBounced: false, complained: false };

const admitted = ({ id, status, marks }: Pick<SubscriberState, 'id' | 'status' | 'marks'>) => ({
  subscriberId: id,
  status,
  suppressed: suppressionOf({ status, marks }),
});

/** Creates a subscriber unless a concurrent call has done so; an address with a suppression entry creates none. */
async function admitNew(
  { manager, outbox }: CallContext,
  address: Address,
  { hashAddress, caller }: { hashAddress: HashAddress; caller: Caller },
) {
  const { organizationId, now, requestId } = caller;
  const people = new SubscriberRepository(manager);
  const newSubscriber = {
    ...address,
    id: newId('sub'),
    name: null,
    phone: null,
    country: null,
    ip: null,
    custom: {},
    status: 'TRANSACTIONAL' as const,
    withheldTags: [],
    confirmationDue: false,
    resubscribes: false,
    addressHash: hashAddress(organizationId, address.emailKey),
  };
  const made = (await new NewSubscriberRepository(manager).insert(organizationId, [newSubscriber], now)).get(
    address.emailKey,
  );
  if (!made) return admitted((await people.findByKey(organizationId, address.emailKey))!);
  // The status shows suppression entries that the address had before.
  const answer = admitted({ id: newSubscriber.id, status: made, marks: unmarked });
  if (answer.suppressed) throw new ToolError('RECIPIENT_SUPPRESSED', { email: address.email, mark: answer.suppressed });
  const cause = { kind: 'delivery' as const, id: requestId };
  const options = { organizationId, now, cause, triggerWorkflows: false, sql: manager, outbox };
  const recorder = new SubscriberChangeService(options);
  recorder.status(null, made);
  await recorder.save();
  return answer;
}
