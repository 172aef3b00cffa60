import type { Sql } from '#database';
import type { Outbox } from '#events';
import { SubscriberChangeService } from '../subscriber/subscriber-change.service.js';
import type { RecorderOptions } from '../subscriber/subscriber-change.service.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { nameKey } from '../text/text.js';
import { SubscriberTagRepository } from './subscriber-tag.repository.js';
import type { TagPair } from './subscriber-tag.repository.js';
import type { Tag } from './tag.js';
import { TagRepository } from './tag.repository.js';

type TagOptions = Omit<RecorderOptions, 'sql' | 'outbox'>;

export interface TagChanges {
  added: number;
  removed: number;
  subscribers: number;
  notFound: string[];
}

export class TagService {
  constructor(
    private readonly sql: Sql,
    private readonly outbox: Outbox,
  ) {}

  /** Adds and removes tags of subscribers; a missing tag to add is created, an unknown one to remove is ignored. */
  async change(
    subscriberIds: readonly string[],
    { add, remove }: { add: readonly string[]; remove: readonly string[] },
    options: TagOptions,
  ): Promise<TagChanges> {
    const { organizationId, now } = options;
    const wanted = add.length > 0 ? await new TagRepository(this.sql).upsertByNames(organizationId, add) : [];
    const people = await new SubscriberRepository(this.sql).lockByIds(organizationId, subscriberIds);
    const byId = new Map(people.map((person) => [person.id, person]));
    const removed = await this.#remove([...byId.keys()], remove, organizationId);
    const pairs = people.flatMap(({ id }) => wanted.map((tag) => ({ subscriberId: id, tagId: tag.id })));
    const added = await new SubscriberTagRepository(this.sql).insert(organizationId, pairs, now);
    const recorder = new SubscriberChangeService({ ...options, sql: this.sql, outbox: this.outbox });
    for (const { subscriberId, tag } of removed) recorder.tagRemoved(byId.get(subscriberId)!, tag);
    const tagOf = new Map(wanted.map((tag) => [tag.id, tag]));
    const isPending = ({ subscriberId }: TagPair) => byId.get(subscriberId)!.status === 'PENDING_CONFIRMATION';
    for (const pair of added) recorder.tagAdded(byId.get(pair.subscriberId)!, tagOf.get(pair.tagId)!, isPending(pair));
    const waiting = options.triggerWorkflows ? added.filter(isPending) : [];
    const changed = [...new Set([...added, ...removed].map(({ subscriberId }) => subscriberId))];
    await new SubscriberRepository(this.sql).updateTagged(organizationId, { changed, waiting, now });
    await recorder.save();
    return {
      added: added.length,
      removed: removed.length,
      subscribers: changed.length,
      notFound: [...new Set(subscriberIds)].filter((id) => !byId.has(id)),
    };
  }

  async #remove(
    subscriberIds: readonly string[],
    names: readonly string[],
    organizationId: string,
  ): Promise<{ subscriberId: string; tag: Tag }[]> {
    if (names.length === 0 || subscriberIds.length === 0) return [];
    const pairs = new SubscriberTagRepository(this.sql);
    const unwanted = new Set(names.map(nameKey));
    const held = await pairs.listOf(organizationId, subscriberIds);
    const surplus = held.filter(({ tagName }) => unwanted.has(nameKey(tagName)));
    const nameOf = new Map(surplus.map(({ tagId, tagName }) => [tagId, tagName]));
    const gone = await pairs.delete(organizationId, surplus);
    return gone.map(({ subscriberId, tagId }) => ({ subscriberId, tag: { id: tagId, name: nameOf.get(tagId)! } }));
  }
}
