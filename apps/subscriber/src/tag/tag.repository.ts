import { newUuid, TallyRepository, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { nameKey, namesByKey } from '../text/text.js';
import type { Tag } from './tag.js';

export const taggedMetric = 'tagged';

interface Row {
  tag_id: string;
  name: string;
}
const tagOf = ({ tag_id, name }: Row): Tag => ({ id: wireId('tag', tag_id), name });

export class TagRepository {
  constructor(private readonly sql: Sql) {}

  /** All tags by name, each with the number of subscribers that hold it. */
  async list(organizationId: string): Promise<(Tag & { subscribersCount: number })[]> {
    const rows: (Row & { holders: number })[] = await this.sql.query(
      `select t.tag_id, t.name, coalesce(c.n, 0)::int as holders from tag t
       left join (select key, sum(n) as n from (
         select key, n from tally where organization_id = $1 and metric = $2
         union all select key, n from tally_delta where organization_id = $1 and metric = $2) d group by key) c on c.key = t.tag_id::text
       where t.organization_id = $1 and t.deleted_at is null order by t.name_key`,
      [uuidOf('org', organizationId), taggedMetric],
    );
    return rows.map((row) => ({ ...tagOf(row), subscribersCount: row.holders }));
  }

  /** @returns null when no tag has this name; case is ignored */
  async findByName(organizationId: string, name: string): Promise<Tag | null> {
    const rows: Row[] = await this.sql.query(
      `select tag_id, name from tag where organization_id = $1 and name_key = $2 and deleted_at is null`,
      [uuidOf('org', organizationId), nameKey(name)],
    );
    return rows[0] ? tagOf(rows[0]) : null;
  }

  async findById(organizationId: string, tagId: string): Promise<Tag | null> {
    const rows: Row[] = await this.sql.query(
      `select tag_id, name from tag where organization_id = $1 and tag_id = $2 and deleted_at is null`,
      [uuidOf('org', organizationId), uuidOf('tag', tagId)],
    );
    return rows[0] ? tagOf(rows[0]) : null;
  }

  /**
   * A former name in content means the renamed tag, until another tag takes the name.
   * @returns the present names of existing tags; other names unchanged
   */
  async listMeant(organizationId: string, names: readonly string[]): Promise<string[]> {
    // Of several tags that once had the name the newest nearly always had it last.
    const rows: { name: string }[] = await this.sql.query(
      `select coalesce(n.name, f.name, u.name) as name from unnest($2::text[], $3::text[]) with ordinality u(name, key, place)
       left join tag n on n.organization_id = $1 and n.name_key = u.key and n.deleted_at is null
       left join lateral (
         select t.name from tag t where t.organization_id = $1 and u.key = any(t.former_keys) and t.deleted_at is null
         order by t.tag_id desc limit 1) f on true
       order by u.place`,
      [uuidOf('org', organizationId), names, names.map(nameKey)],
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Renames a tag; links in content may still use the former name.
   * @returns false when the tag is deleted, or another has the name
   */
  async updateName(organizationId: string, tagId: string, name: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update tag t set name = $3, name_key = $4,
         former_keys = case when name_key = $4 then former_keys else array_append(array_remove(former_keys, name_key), name_key) end
       where organization_id = $1 and tag_id = $2 and deleted_at is null
         and not exists (select from tag o where o.organization_id = $1 and o.name_key = $4 and o.deleted_at is null and o.tag_id <> $2)
       returning 1`,
      [uuidOf('org', organizationId), uuidOf('tag', tagId), name.trim(), nameKey(name)],
    );
    return rows.length > 0;
  }

  async countHolders(organizationId: string, tagId: string): Promise<number> {
    const counts = await new TallyRepository(this.sql).listByKey(organizationId, taggedMetric);
    return counts.get(uuidOf('tag', tagId)!) ?? 0;
  }

  /** Hides a tag and frees its name; a job takes it from its holders. @returns false when it is gone already */
  async updateDeleted(organizationId: string, tagId: string): Promise<boolean> {
    const [rows]: [unknown[]] = await this.sql.query(
      `update tag set deleted_at = clock_timestamp() where organization_id = $1 and tag_id = $2 and deleted_at is null returning 1`,
      [uuidOf('org', organizationId), uuidOf('tag', tagId)],
    );
    return rows.length > 0;
  }

  /** Makes the tags that are missing. @returns all of them in the order of `names`, and which were created */
  async upsertByNames(organizationId: string, names: readonly string[]): Promise<(Tag & { created: boolean })[]> {
    const byKey = namesByKey(names);
    // In key order, so that two calls with the same names in another order cannot deadlock.
    const keys = [...byKey.keys()].sort();
    const created = new Set<string>();
    const found = new Map<string, Tag & { created: boolean }>();
    // A tag that is deleted between the two statements has freed its name.
    while (found.size < keys.length) {
      const made: Row[] = await this.sql.query(
        `insert into tag (organization_id, tag_id, name, name_key)
         select $1, u.id, u.name, u.key from unnest($2::uuid[], $3::text[], $4::text[]) with ordinality u(id, name, key, place) order by u.place
         on conflict (organization_id, name_key) where deleted_at is null do nothing returning tag_id, name`,
        [uuidOf('org', organizationId), keys.map(newUuid), keys.map((key) => byKey.get(key)), keys],
      );
      for (const { tag_id } of made) created.add(tag_id);
      const rows: (Row & { name_key: string })[] = await this.sql.query(
        `select tag_id, name, name_key from tag where organization_id = $1 and name_key = any($2) and deleted_at is null`,
        [uuidOf('org', organizationId), keys],
      );
      found.clear();
      for (const row of rows) found.set(row.name_key, { ...tagOf(row), created: created.has(row.tag_id) });
    }
    return [...byKey.keys()].map((key) => found.get(key)!);
  }
}
