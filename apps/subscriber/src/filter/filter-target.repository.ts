import type { Filter } from '#contracts';
import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { nameKey } from '../text/text.js';
import type { OwnKind, Target } from './filter.js';

const places = {
  tag: { table: 'tag', key: 'tag_id', prefix: 'tag', live: 'deleted_at is null', filters: 'null::jsonb' },
  field: { table: 'custom_field', key: 'field_id', prefix: 'fld', live: 'deleted_at is null', filters: 'null::jsonb' },
  segment: { table: 'segment', key: 'segment_id', prefix: 'seg', live: 'true', filters: 'filters' },
} as const;

export class FilterTargetRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * Finds records of a kind by id or by name; what does not exist (or is another organization's) is left out.
   * @param names in lower case
   * @param lock holds them until the end of the transaction, so that what names them is saved before they can go
   */
  async list(
    organizationId: string,
    kind: OwnKind,
    { ids, names, lock }: { ids: readonly string[]; names: readonly string[]; lock: boolean },
  ): Promise<Target[]> {
    const { table, key, prefix, live, filters } = places[kind];
    const uuids = ids.map((id) => uuidOf(prefix, id)).filter((uuid) => uuid !== null);
    const rows: { key: string; name: string; filters: Filter[] | null }[] = await this.sql.query(
      `select ${key} as key, name, ${filters} as filters from ${table}
       where organization_id = $1 and ${live} and (${key} = any($2::uuid[]) or name_key = any($3::text[]))
       order by ${key} ${lock ? 'for share' : ''}`,
      [uuidOf('org', organizationId), uuids, names],
    );
    return rows.map((row) => ({
      kind,
      id: wireId(prefix, row.key),
      key: row.key,
      name: row.name,
      ...(row.filters && { filters: row.filters }),
    }));
  }

  /** @returns those of some campaigns, by their keys, whose activity is deleted or is being deleted */
  async listExpiredCampaigns(organizationId: string, keys: readonly string[]): Promise<Set<string>> {
    const rows: { campaign_id: string }[] = await this.sql.query(
      `select campaign_id from expired_campaign where organization_id = $1 and campaign_id = any($2::uuid[])`,
      [uuidOf('org', organizationId), keys],
    );
    return new Set(rows.map(({ campaign_id }) => campaign_id));
  }

  /**
   * Fields by names that they had before, each name with the field it means in content: of several, the newest.
   * @param names in lower case, of which no field has one now
   */
  async listFormer(organizationId: string, names: readonly string[], lock: boolean): Promise<Map<string, Target>> {
    const rows: { key: string; name: string; former_names: string[] }[] = await this.sql.query(
      `select field_id as key, name, former_names from custom_field
       where organization_id = $1 and deleted_at is null and former_names <> '{}' order by field_id
       ${lock ? 'for share' : ''}`,
      [uuidOf('org', organizationId)],
    );
    const former = rows.flatMap(({ key, name, former_names }) =>
      former_names.map((before): [string, Target] => [
        nameKey(before),
        { kind: 'field', id: wireId('fld', key), key, name },
      ]),
    );
    return new Map(former.filter(([name]) => names.includes(name)));
  }

  /** The newest record of each kind that the organization has, by kind and name. */
  async listNewest(organizationId: string): Promise<{ kind: OwnKind; name: string }[]> {
    const newest = Object.entries(places).map(
      ([kind, { table, key, live }]) =>
        `(select '${kind}' as kind, name from ${table} where organization_id = $1 and ${live} order by ${key} desc limit 1)`,
    );
    return await this.sql.query(newest.join(' union all '), [uuidOf('org', organizationId)]);
  }
}
