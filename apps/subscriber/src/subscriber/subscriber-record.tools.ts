import { subscriberRecordTools } from '#contracts';
import { newId } from '#database';
import type { HashAddress } from '#link-token';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import type { Handlers } from '#tool-call';
import { assertOpen } from '../export/export.tools.js';
import { ExportRepository } from '../export/export.repository.js';
import type { CountSemaphore } from '../filter/count-semaphore.js';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import { cursorOf, placeOf } from '../history/event.requests.js';
import { HistoryRepository } from '../history/history.repository.js';
import { SuppressionService } from '../suppression/suppression.service.js';
import { TagRepository } from '../tag/tag.repository.js';
import { deleteSubscriber } from './deletion.service.js';
import { mailableOf, suppressionsOf } from './mailable.js';
import { addressOf } from './profile.js';
import { SubscriberDetailsRepository } from './subscriber-details.repository.js';
import { checkedCursor, getTag, narrowed, searchText } from './subscriber-query.tools.js';
import { SubscriberRepository } from './subscriber.repository.js';
import { checked } from './subscriber.tools.js';
import { SubscriberViewRepository } from './subscriber-view.repository.js';
import type { TotalCache } from './total-cache.service.js';

type RecordHandlers = Handlers<typeof subscriberRecordTools>;

interface Dependencies {
  engine: FilterEngine;
  totals: TotalCache;
  counting: CountSemaphore;
  hashAddress: HashAddress;
}

export function implementSubscriberRecordTools(context: CallContext, parts: Dependencies) {
  const views = new SubscriberViewRepository(context.manager);
  return implement(
    subscriberRecordTools,
    { ...recordHandlers(context, parts), ...searchHandlers(context, parts) },
    {
      delete_subscriber: async (who, { organizationId }) => {
        const { email } = (await views.find(organizationId, await views.getId(organizationId, who)))!;
        return {
          action: 'Delete the subscriber',
          message: `Deletes ${email} permanently, with its history, messages and workflow runs. Suppressions of the address remain as a hash.`,
        };
      },
    },
  );
}

type Search = 'search_subscribers' | 'search_subscriber_events';

function recordHandlers({ manager, outbox }: CallContext, { hashAddress }: Dependencies): Omit<RecordHandlers, Search> {
  const views = new SubscriberViewRepository(manager);
  const details = new SubscriberDetailsRepository(manager);
  return {
    get_subscriber_details: async (who, { organizationId }) => {
      const id = await views.getId(organizationId, who);
      const [subscriber, found] = [await views.find(organizationId, id), await details.find(organizationId, id)];
      if (!subscriber || !found) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
      const suppressions = suppressionsOf(found.facts).map((one) => ({ ...one, since: one.since.toISOString() }));
      return { subscriber, country: found.country, suppressions, mailable: mailableOf(found.facts) };
    },

    delete_subscriber: async (who, caller) => {
      const { organizationId } = caller;
      const id = await views.getId(organizationId, who);
      const gone = await deleteSubscriber(id, { sql: manager, outbox, hashAddress }, caller);
      if (!gone) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
      const keptSuppressions = await details.listKept(organizationId, hashAddress(organizationId, gone.emailKey));
      return { deleted: true as const, id, keptSuppressions };
    },

    export_subscriber_data: async (who, { organizationId, now }) => {
      const subscriberId = await views.getId(organizationId, who);
      const exports = new ExportRepository(manager);
      assertOpen(await exports.countOpenLocked(organizationId));
      const exportId = newId('exp');
      await exports.insert(organizationId, exportId, { subscriberId, filters: null, tagId: null }, now);
      return { exportId, status: 'QUEUED' as const };
    },

    set_subscriber_ban: async ({ email, banned, reason }, { organizationId, now, requestId }) => {
      const { address } = checked(addressOf(email));
      const options = { organizationId, now, cause: { kind: 'tool' as const, id: requestId } };
      const suppressions = new SuppressionService(manager, outbox, hashAddress);
      const status = await suppressions.setBan(address, banned, { ...options, reason: reason ?? null });
      const subscriber = await new SubscriberRepository(manager).findByKey(organizationId, address.emailKey);
      return { email: address.email, banned, subscriberId: subscriber?.id ?? null, status };
    },
  };
}

function searchHandlers(
  { manager }: CallContext,
  { engine, totals, counting }: Dependencies,
): Pick<RecordHandlers, Search> {
  const views = new SubscriberViewRepository(manager);
  return {
    search_subscribers: async ({ sort, order, counts, limit, cursor, ...asked }, caller) => {
      const { organizationId } = caller;
      const where = asked.filters.length > 0 ? await engine.condition(caller, asked.filters, { from: 'caller' }) : null;
      const tags = new TagRepository(manager);
      const tagId = asked.tag === undefined ? null : (await getTag(tags, organizationId, asked.tag)).id;
      const selection = { status: narrowed(asked.status), tagId, query: searchText(asked.query), where };
      const after = sort === 'email' ? addressKey(cursor) : checkedCursor(cursor);
      const read = async () => {
        const { subscribers, more } = await views.list(organizationId, selection, { after, limit, sort, order });
        const count = () => views.countRoughly(organizationId, selection);
        const last = subscribers.at(-1);
        return {
          subscribers,
          ...(await totals.of([organizationId, 'search', asked], { first: cursor === undefined, count })),
          ...(counts && (await views.countByStatusRoughly(organizationId, selection))),
          nextCursor: more && last ? (sort === 'email' ? last.email : last.id) : null,
        };
      };
      return where || asked.query ? await counting.run(caller, read) : await read();
    },

    search_subscriber_events: async ({ eventTypes, query, from, to, counts, order, limit, cursor, ...who }, caller) => {
      const { organizationId } = caller;
      const id = await views.getId(organizationId, who);
      const history = new HistoryRepository(manager);
      const selection = { types: eventTypes, search: query || null, from: from ?? null, to: to ?? null };
      const page = { order, limit: limit + 1, after: placeOf(cursor) };
      const lines = await history.listPage(organizationId, id, { ...selection, ...page });
      const events = lines.slice(0, limit);
      return {
        events,
        ...(counts && (await history.countByType(organizationId, id, selection))),
        nextCursor: lines.length > limit ? cursorOf(events.at(-1)!) : null,
      };
    },
  };
}

/** The key of the address that a cursor of a list by address is. @throws ToolError PARAMETERS_INVALID */
function addressKey(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const read = addressOf(cursor);
  return read.ok ? read.address.emailKey : checkedCursor('');
}
