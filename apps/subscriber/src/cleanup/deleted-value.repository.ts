import { TallyRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { HistoryRepository } from '../history/history.repository.js';
import { DeletionLockRepository } from '../subscriber/deletion-lock.repository.js';
import type { Tag } from '../tag/tag.js';
import { taggedMetric } from '../tag/tag.repository.js';

/** Subscribers per step: a step is one short transaction. */
const stepSize = 5_000;
/** Seconds for which a write that began before the deletion may still add to it (the longest statement has 30 s). */
const lateSeconds = 60;

export class DeletedValueRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Claims a deleted tag that a subscriber still has, or that no transaction can add any more. @returns null when there
   * is none
   */
  async claimTag(): Promise<{ organizationId: string; tag: Tag } | null> {
    const rows: { organization_id: string; tag_id: string; name: string }[] = await this.sql.query(
      `select organization_id, tag_id, name from tag t where deleted_at is not null
         and (deleted_at < clock_timestamp() - interval '${lateSeconds} seconds' or exists (
           select from subscriber_tag st where st.organization_id = t.organization_id and st.tag_id = t.tag_id))
       order by deleted_at limit 1 for update skip locked`,
    );
    const [row] = rows;
    if (!row) return null;
    return {
      organizationId: wireId('org', row.organization_id),
      tag: { id: wireId('tag', row.tag_id), name: row.name },
    };
  }

  /**
   * Removes a claimed tag from some of its holders and writes it into their history; it triggers no workflow. Without
   * holders the tag itself is deleted.
   */
  async removeTag(organizationId: string, tag: Tag, now: Date): Promise<void> {
    await new DeletionLockRepository(this.sql).holdOff([organizationId]);
    const key = [uuidOf('org', organizationId), uuidOf('tag', tag.id)];
    const [gone]: [{ subscriber_id: string }[]] = await this.sql.query(
      `delete from subscriber_tag where organization_id = $1 and tag_id = $2 and subscriber_id in (
         select subscriber_id from subscriber_tag where organization_id = $1 and tag_id = $2 limit ${stepSize})
       returning subscriber_id`,
      key,
    );
    if (gone.length === 0) {
      await this.sql.query(`delete from tag where organization_id = $1 and tag_id = $2`, key);
      return;
    }
    const at = now.toISOString();
    const lines = gone.map(({ subscriber_id }) => ({
      subscriberId: wireId('sub', subscriber_id),
      type: 'TAG_REMOVED' as const,
      data: { tagId: tag.id, tagName: tag.name },
      at,
    }));
    await new HistoryRepository(this.sql).insert(organizationId, lines);
    const count = { metric: taggedMetric, key: uuidOf('tag', tag.id)!, day: at.slice(0, 10), n: -gone.length };
    await new TallyRepository(this.sql).insert(organizationId, [count]);
  }

  /** The walk begins late, so that it also removes values that a late write added. */
  async claimField(): Promise<{ organizationId: string; fieldUuid: string } | null> {
    const rows: { organization_id: string; field_id: string }[] = await this.sql.query(
      `select organization_id, field_id from custom_field where deleted_at < clock_timestamp() - interval '${lateSeconds} seconds'
       order by deleted_at limit 1 for update skip locked`,
    );
    const [row] = rows;
    return row ? { organizationId: wireId('org', row.organization_id), fieldUuid: row.field_id } : null;
  }

  /**
   * Removes a claimed field's values from the next subscribers in id order; after the last the field itself is deleted.
   */
  async removeField(organizationId: string, fieldUuid: string): Promise<void> {
    const rows: { last: string | null }[] = await this.sql.query(
      `with field as (select cleared_to from custom_field where organization_id = $1 and field_id = $2),
       step as (select subscriber_id, custom ? $2::text as has from subscriber
         where organization_id = $1 and subscriber_id > coalesce((select cleared_to from field), '00000000-0000-0000-0000-000000000000')
         order by subscriber_id limit ${stepSize}),
       cleared as (update subscriber s set custom = s.custom - $2::text
         from (select subscriber_id from step where has order by subscriber_id) h
         where s.organization_id = $1 and s.subscriber_id = h.subscriber_id)
       select max(subscriber_id::text) as last from step`,
      [uuidOf('org', organizationId), fieldUuid],
    );
    const { last } = rows[0]!;
    await this.sql.query(
      last === null
        ? `delete from custom_field where organization_id = $1 and field_id = $2`
        : `update custom_field set cleared_to = $3 where organization_id = $1 and field_id = $2`,
      [uuidOf('org', organizationId), fieldUuid, ...(last === null ? [] : [last])],
    );
  }
}
