import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';

/** One tag of one subscriber, by wire ids. */
export interface TagPair {
  subscriberId: string;
  tagId: string;
}

interface PairRow {
  subscriber_id: string;
  tag_id: string;
}
const pairOf = (row: PairRow): TagPair => ({
  subscriberId: wireId('sub', row.subscriber_id),
  tagId: wireId('tag', row.tag_id),
});

/** The caller locks the subscribers, so that pairs of one subscriber never race. */
export class SubscriberTagRepository {
  constructor(private readonly sql: Sql) {}

  /** Adds tags to subscribers. @returns the pairs that were not there before */
  async insert(organizationId: string, pairs: readonly TagPair[], now: Date): Promise<TagPair[]> {
    if (pairs.length === 0) return [];
    const rows: PairRow[] = await this.sql.query(
      `insert into subscriber_tag (organization_id, tag_id, subscriber_id, added_at)
       select $1, u.tag, u.person, $4 from unnest($2::uuid[], $3::uuid[]) u(tag, person) order by u.tag, u.person
       on conflict do nothing returning subscriber_id, tag_id`,
      [
        uuidOf('org', organizationId),
        pairs.map(({ tagId }) => uuidOf('tag', tagId)),
        pairs.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        now,
      ],
    );
    return rows.map(pairOf);
  }

  /** Removes tags from subscribers. @returns the pairs that existed */
  async delete(organizationId: string, pairs: readonly TagPair[]): Promise<TagPair[]> {
    if (pairs.length === 0) return [];
    const [rows]: [PairRow[]] = await this.sql.query(
      `delete from subscriber_tag t using unnest($2::uuid[], $3::uuid[]) u(tag, person)
       where t.organization_id = $1 and t.tag_id = u.tag and t.subscriber_id = u.person returning t.subscriber_id, t.tag_id`,
      [
        uuidOf('org', organizationId),
        pairs.map(({ tagId }) => uuidOf('tag', tagId)),
        pairs.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
      ],
    );
    return rows.map(pairOf);
  }

  async listOf(organizationId: string, subscriberIds: readonly string[]): Promise<(TagPair & { tagName: string })[]> {
    const rows: (PairRow & { name: string })[] = await this.sql.query(
      `select st.subscriber_id, st.tag_id, t.name from subscriber_tag st
       join tag t on t.organization_id = $1 and t.tag_id = st.tag_id and t.deleted_at is null
       where st.organization_id = $1 and st.subscriber_id = any($2::uuid[])`,
      [uuidOf('org', organizationId), subscriberIds.map((id) => uuidOf('sub', id))],
    );
    return rows.map((row) => ({ ...pairOf(row), tagName: row.name }));
  }
}
