import { subscriberQueryTools } from '#contracts';
import type { SubscriberStatus } from '#contracts';
import { uuidOf } from '#database';
import type { CallContext } from '#service-host';
import { implement, summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import type { CountSemaphore } from '../filter/count-semaphore.js';
import type { Tag } from '../tag/tag.js';
import { TagRepository } from '../tag/tag.repository.js';
import { cleanLine } from '../text/text.js';
import { SubscriberViewRepository } from './subscriber-view.repository.js';
import type { Selection, SubscriberView } from './subscriber-view.repository.js';
import type { TotalCache } from './total-cache.service.js';

interface Dependencies {
  engine: FilterEngine;
  totals: TotalCache;
  counting: CountSemaphore;
}

export function implementSubscriberQueryTools({ manager }: CallContext, { engine, totals, counting }: Dependencies) {
  const views = new SubscriberViewRepository(manager);
  const tags = new TagRepository(manager);

  /** A page with its total; `asked` is what makes two calls pages of one list. */
  async function pageOf(selection: Selection, page: PageArgs, asked: unknown, { organizationId }: Caller) {
    const { cursor, limit } = page;
    const { subscribers, more } = await views.list(organizationId, selection, { after: checkedCursor(cursor), limit });
    const first = cursor === undefined;
    // The first page that is also the last has been counted by reading it.
    const count = () =>
      first && !more ? Promise.resolve({ total: subscribers.length }) : views.countRoughly(organizationId, selection);
    return {
      subscribers,
      ...(await totals.of([organizationId, asked], { first, count })),
      limit,
      nextCursor: more ? subscribers.at(-1)!.id : null,
    };
  }

  return implement(subscriberQueryTools, {
    list_subscribers: async ({ limit, cursor, ...asked }, caller) => {
      const tagId = asked.tag === undefined ? null : (await getTag(tags, caller.organizationId, asked.tag)).id;
      const selection = { status: narrowed(asked.status), tagId, query: searchText(asked.query), where: null };
      const page = await pageOf(selection, { limit, cursor }, asked, caller);
      return { ...page, subscribers: page.subscribers.map(summaryOf) };
    },

    query_subscribers: async ({ limit, cursor, fields, ...asked }, caller) => {
      const where = asked.filters.length > 0 ? await engine.condition(caller, asked.filters, { from: 'caller' }) : null;
      const selection = { status: narrowed(asked.status), tagId: null, query: searchText(asked.query), where };
      const read = () => pageOf(selection, { limit, cursor }, asked, caller);
      const page = where ? await counting.run(caller, read) : await read();
      return {
        ...page,
        subscribers: page.subscribers.map((view) => Object.fromEntries(fields.map((field) => [field, view[field]]))),
      };
    },

    count_subscribers: async ({ filters, status, query }, caller) => {
      const where = filters.length > 0 ? await engine.condition(caller, filters, { from: 'caller' }) : null;
      const selection = { status: narrowed(status), tagId: null, query: searchText(query), where };
      return { total: await counting.run(caller, () => views.count(caller.organizationId, selection)) };
    },

    count_subscribers_by_status: async ({ status }, { organizationId }) => {
      const all = await views.countByStatus(organizationId);
      const counts = status ? { [status]: all[status] } : all;
      return { counts, total: Object.values(counts).reduce((sum, n) => sum + n, 0) };
    },

    get_subscribers_by_tag: async ({ tagName, limit }, { organizationId }) => {
      const tag = await getTag(tags, organizationId, tagName);
      const selection = { status: null, tagId: tag.id, query: null, where: null };
      const { subscribers } = await views.list(organizationId, selection, { after: null, limit });
      return {
        tag: { id: tag.id, name: tag.name },
        subscribers: subscribers.map(summaryOf),
        total: await views.count(organizationId, selection),
      };
    },
  });
}

interface PageArgs {
  limit: number;
  cursor: string | undefined;
}

const summaryOf = ({ id, email, name, status, createdAt, tags }: SubscriberView) => ({
  id,
  email,
  name,
  status,
  createdAt,
  tags,
});

export async function getTag(tags: TagRepository, organizationId: string, name: string): Promise<Tag> {
  const tag = await tags.findByName(organizationId, name);
  if (!tag) throw new ToolError('TAG_NOT_FOUND', { id: name, by: 'name' });
  return tag;
}

export function checkedCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (uuidOf('sub', cursor)) return cursor;
  const issues = [{ path: ['cursor'], message: 'must be the nextCursor of the page before' }];
  throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}

export const narrowed = (status: SubscriberStatus | 'all' | 'ALL'): SubscriberStatus | null =>
  status === 'all' || status === 'ALL' ? null : status;
export const searchText = (query: string | undefined): string | null => (query === undefined ? null : cleanLine(query));
