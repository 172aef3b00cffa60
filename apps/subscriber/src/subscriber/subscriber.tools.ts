import { subscriberTools } from '#contracts';
import type { Args, SubscriberStatus } from '#contracts';
import { uuidOf } from '#database';
import type { CallContext } from '#service-host';
import { implement, summarise, ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { FilterEngine } from '../filter/filter.engine.js';
import { HistoryRepository } from '../history/history.repository.js';
import type { OrganizationSettingsCache } from '../organization/organization.settings.js';
import { TagRepository } from '../tag/tag.repository.js';
import { cleanLine } from '../text/text.js';
import { personOf } from './person.js';
import type { PersonInput } from './person.js';
import { StatusWriter } from './status.writer.js';
import type { StatusWish } from './subscriber.js';
import { SubscriberViewRepository } from './subscriber-view.repository.js';
import type { Who } from './subscriber-view.repository.js';
import { SubscriberWriter } from './subscriber.writer.js';

type AddArgs = Args<(typeof subscriberTools)['calls']['add_subscriber']>;

export function implementSubscriberTools(
  context: CallContext,
  { engine, settings }: { engine: FilterEngine; settings: OrganizationSettingsCache },
) {
  const { manager, outbox } = context;
  const views = new SubscriberViewRepository(manager);
  const identify = (who: Who, caller: Caller) => views.getId(caller.organizationId, who);

  return implement(subscriberTools, {
    list_subscribers: async ({ limit, status, tag, query, cursor }, { organizationId }) => {
      const selection = {
        status: narrowed(status),
        tagId: tag === undefined ? null : await getTagId(new TagRepository(manager), organizationId, tag),
        query: searchText(query),
        where: null,
      };
      const page = await views.list(organizationId, selection, { after: checkedCursor(cursor), limit });
      return {
        subscribers: page.subscribers.map(({ id, email, name, status: one, createdAt, tags }) => ({
          ...{ id, email, name, status: one, createdAt, tags },
        })),
        ...(await views.countRoughly(organizationId, selection)),
        limit,
        nextCursor: page.more ? page.subscribers.at(-1)!.id : null,
      };
    },

    count_subscribers: async ({ filters, status, query }, caller) => {
      const where = filters.length > 0 ? await engine.condition(caller, filters, { from: 'caller' }) : null;
      const selection = { status: narrowed(status), tagId: null, query: searchText(query), where };
      return { total: await views.count(caller.organizationId, selection) };
    },

    get_subscriber: async (who, caller) => ({
      subscriber: (await views.find(caller.organizationId, await identify(who, caller)))!,
    }),

    add_subscriber: async (args, caller) => {
      const person = checkedPerson(args);
      const { doubleOptIn } = await settings.find(caller);
      return await context.transaction((inner) => addPerson(inner, person, { ...args, doubleOptIn }, caller));
    },

    unsubscribe: async ({ reason, ...who }, caller) => {
      const { organizationId, now, source, requestId } = caller;
      const id = await identify(who, caller);
      const done = await new StatusWriter(manager, outbox).unsubscribe(
        id,
        { reason: reason ? cleanLine(reason) : null, source, campaignId: null, messageId: null },
        { organizationId, now, cause: { kind: 'tool', id: requestId }, triggerWorkflows: true },
      );
      if (!done) throw new ToolError('SUBSCRIBER_NOT_FOUND', { id });
      const { person } = done;
      return { subscriber: { id: person.id, email: person.email, status: person.status } };
    },

    list_subscriber_events: async ({ eventType, limit, ...who }, caller) => {
      const id = await identify(who, caller);
      return await new HistoryRepository(manager).list(caller.organizationId, id, { type: eventType ?? null, limit });
    },
  });
}

async function addPerson(
  { manager, outbox }: CallContext,
  person: PersonInput,
  { triggerWorkflows, replaceTags, ...wish }: StatusWish & Pick<AddArgs, 'triggerWorkflows' | 'replaceTags'>,
  { organizationId, now, source, requestId }: Caller,
) {
  const cause = { kind: 'tool' as const, id: requestId };
  const options = { organizationId, now, source, cause, triggerWorkflows, replaceTags, wish };
  const [saved] = await new SubscriberWriter(manager, outbox).save([person], options);
  const { id, created, warnings } = saved!;
  const subscriber = (await new SubscriberViewRepository(manager).find(organizationId, id))!;
  return { subscriber, created, ...(warnings.length > 0 && { warnings }) };
}

/** The person of the arguments, cleaned; a problem is told at its parameter. */
function checkedPerson(args: AddArgs): PersonInput {
  const read = personOf(args);
  if (read.ok) return read.person;
  const { refusal } = read;
  if (refusal.problem === 'FIELD_RESERVED') throw new ToolError('FIELD_RESERVED', { name: refusal.name });
  const issues = [refusal.issue];
  throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}

async function getTagId(tags: TagRepository, organizationId: string, name: string): Promise<string> {
  const tag = await tags.findByName(organizationId, name);
  if (!tag) throw new ToolError('TAG_NOT_FOUND', { id: name });
  return tag.id;
}

function checkedCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (uuidOf('sub', cursor)) return cursor;
  const issues = [{ path: ['cursor'], message: 'must be the id of a subscriber, as nextCursor told it' }];
  throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
}

const narrowed = (status: SubscriberStatus | 'ALL'): SubscriberStatus | null => (status === 'ALL' ? null : status);
const searchText = (query: string | undefined): string | null => (query === undefined ? null : cleanLine(query));
