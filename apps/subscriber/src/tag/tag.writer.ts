import type { Sql } from '#database';
import type { Outbox } from '#events';
import { ChangeRecorder } from '../subscriber/change.recorder.js';
import type { RecorderOptions } from '../subscriber/change.recorder.js';
import { SubscriberRepository } from '../subscriber/subscriber.repository.js';
import { nameKey } from '../text/text.js';
import { SubscriberTagRepository } from './subscriber-tag.repository.js';
import type { Tag } from './tag.js';
import { TagRepository } from './tag.repository.js';

type TagOptions = Omit<RecorderOptions, 'sql' | 'outbox'>;

/** Gives people tags and takes them, in the caller's transaction. */
export class TagWriter {
  constructor(
    private readonly sql: Sql,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Adds and removes tags of one person; a missing tag to add is created, an unknown one to remove is nothing.
   * @returns false when there is no such subscriber
   */
  async change(
    subscriberId: string,
    { add, remove }: { add: readonly string[]; remove: readonly string[] },
    options: TagOptions,
  ): Promise<boolean> {
    const { organizationId, now } = options;
    const tags = new TagRepository(this.sql);
    const wanted: Tag[] = add.length > 0 ? await tags.upsertByNames(organizationId, add) : [];
    const unwanted = new Set(remove.map(nameKey));
    const person = await new SubscriberRepository(this.sql).lockById(organizationId, subscriberId);
    if (!person) return false;
    const pairs = new SubscriberTagRepository(this.sql);
    const held = unwanted.size > 0 ? await pairs.listOf(organizationId, [subscriberId]) : [];
    const surplus = held.filter(({ tagName }) => unwanted.has(nameKey(tagName)));
    await pairs.delete(organizationId, surplus);
    const added = await pairs.insert(
      organizationId,
      wanted.map(({ id }) => ({ subscriberId, tagId: id })),
      now,
    );
    const recorder = new ChangeRecorder({ ...options, sql: this.sql, outbox: this.outbox });
    for (const { tagId, tagName } of surplus) recorder.tagRemoved(person, { id: tagId, name: tagName });
    for (const { tagId } of added)
      recorder.tagAdded(
        person,
        wanted.find(({ id }) => id === tagId)!,
      );
    await recorder.save();
    return true;
  }
}
