import type { Named, NamesAsked } from '#contracts';
import { nameKey } from '#tool-call';
import { uuidOf, wireId } from './ids.js';
import type { IdPrefix } from './ids.js';
import type { Sql } from './schema-migrator.js';

/** The table `workflow` has the columns `workflow_id` and `name`; its ids begin with `wf_` on the wire. */
export interface NamedTable {
  table: string;
  prefix: IdPrefix;
}

export class NamedRepository {
  constructor(
    private readonly sql: Sql,
    private readonly named: NamedTable,
  ) {}

  /** Returns records by id or by name (without case), and `newest` of the newest; missing records are omitted. */
  async list(organizationId: string, { ids, names, newest }: NamesAsked): Promise<Named[]> {
    const { table, prefix } = this.named;
    const rows: { id: string; name: string }[] = await this.sql.query(
      `select ${table}_id as id, name from ${table} where organization_id = $1 and (${table}_id = any($2::uuid[]) or lower(name) = any($3::text[]))
       union (select ${table}_id, name from ${table} where organization_id = $1 order by ${table}_id desc limit $4)
       order by id`,
      [uuidOf('org', organizationId), ids.flatMap((id) => uuidOf(prefix, id) ?? []), names.map(nameKey), newest],
    );
    return rows.map(({ id, name }) => ({ id: wireId(prefix, id), name }));
  }
}
