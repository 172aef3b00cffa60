import type { Filter } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import type { Target, TargetKind } from './filter.js';

/** Where each kind of record stands, and the prefix of its ids. */
const places = {
  tag: { table: 'tag', key: 'tag_id', prefix: 'tag', live: 'deleted_at is null', filters: 'null::jsonb' },
  field: { table: 'custom_field', key: 'field_id', prefix: 'fld', live: 'deleted_at is null', filters: 'null::jsonb' },
  segment: { table: 'segment', key: 'segment_id', prefix: 'seg', live: 'true', filters: 'filters' },
} as const;

export class FilterTargetRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Finds records of a kind by id or by name; what does not exist (or is another organization's) is left out.
   * @param nameKeys names in lower case
   * @param lock holds them until the end of the transaction, so that what names them is saved before they can go
   */
  async list(
    organizationId: string,
    kind: TargetKind,
    { ids, nameKeys, lock }: { ids: readonly string[]; nameKeys: readonly string[]; lock: boolean },
  ): Promise<(Target & { nameKey: string })[]> {
    const { table, key, prefix, live, filters } = places[kind];
    const uuids = ids.map((id) => uuidOf(prefix, id)).filter((uuid) => uuid !== null);
    const rows: { key: string; name: string; name_key: string; filters: Filter[] | null }[] = await this.sql.query(
      `select ${key} as key, name, name_key, ${filters} as filters from ${table}
       where organization_id = $1 and ${live} and (${key} = any($2::uuid[]) or name_key = any($3::text[]))
       order by ${key} ${lock ? 'for share' : ''}`,
      [uuidOf('org', organizationId), uuids, nameKeys],
    );
    return rows.map((row) => ({
      kind,
      id: wireId(prefix, row.key),
      key: row.key,
      name: row.name,
      nameKey: row.name_key,
      ...(row.filters && { filters: row.filters }),
    }));
  }
}
