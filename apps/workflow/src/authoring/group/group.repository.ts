import type { ConflictStrategy } from '#contracts';
import { createdAtOf, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { literalInPattern, nameKey, searchText, ToolError } from '#tool-call';

/** A group of workflows of which a subscriber should be in one at a time, and its rule for a second one. */
export interface Group {
  id: string;
  name: string;
  conflictStrategy: ConflictStrategy;
  workflowsCount: number;
  updatedAt: Date;
}

interface Row {
  group_id: string;
  name: string;
  conflict_strategy: ConflictStrategy;
  updated_at: Date;
  workflows: number;
}
const columns = `g.group_id, g.name, g.conflict_strategy, g.updated_at,
  (select count(*)::int from workflow w where w.organization_id = g.organization_id and w.group_id = g.group_id) as workflows`;
const groupOf = (row: Row): Group => ({
  id: wireId('wfg', row.group_id),
  name: row.name,
  conflictStrategy: row.conflict_strategy,
  workflowsCount: row.workflows,
  updatedAt: row.updated_at,
});

export class GroupRepository {
  constructor(private readonly sql: Sql) {}

  async get(organizationId: string, groupId: string, { lock = false } = {}): Promise<Group> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from workflow_group g where g.organization_id = $1 and g.group_id = $2 ${lock ? 'for update of g' : ''}`,
      [uuidOf('org', organizationId), uuidOf('wfg', groupId)],
    );
    if (!rows[0]) throw new ToolError('WORKFLOW_GROUP_NOT_FOUND', { id: groupId });
    return groupOf(rows[0]);
  }

  async list(
    organizationId: string,
    { query, limit }: { query: string | null; limit: number },
  ): Promise<{ groups: Group[]; total: number }> {
    const text = searchText(query);
    const where = `g.organization_id = $1 and ($2::text is null or lower(g.name) like lower($2))`;
    const key = [uuidOf('org', organizationId), text && `%${literalInPattern(text)}%`];
    const rows: Row[] = await this.sql.query(
      `select ${columns} from workflow_group g where ${where} order by g.name_key limit $3`,
      [...key, limit],
    );
    const total: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from workflow_group g where ${where}`,
      key,
    );
    return { groups: rows.map(groupOf), total: total[0]!.n };
  }

  /** Inserts a group. @returns the existing group when the name is taken */
  async upsert(
    organizationId: string,
    { name, conflictStrategy }: Pick<Group, 'name' | 'conflictStrategy'>,
  ): Promise<Group> {
    const id = newUuid();
    await this.sql.query(
      `insert into workflow_group (organization_id, group_id, name, name_key, conflict_strategy, updated_at)
       values ($1, $2, $3, $4, $5, $6) on conflict (organization_id, name_key) do nothing`,
      [uuidOf('org', organizationId), id, name, nameKey(name), conflictStrategy, createdAtOf(id)],
    );
    return (await this.findByName(organizationId, name))!;
  }

  /** Compares names without case. @returns null when no group has this name */
  async findByName(organizationId: string, name: string): Promise<Group | null> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from workflow_group g where g.organization_id = $1 and g.name_key = $2`,
      [uuidOf('org', organizationId), nameKey(name)],
    );
    return rows[0] ? groupOf(rows[0]) : null;
  }

  /** Updates a group that the caller has locked. @returns null when another group has the name */
  async update(
    organizationId: string,
    { id, name, conflictStrategy }: Pick<Group, 'id' | 'name' | 'conflictStrategy'>,
    now: Date,
  ): Promise<Group | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update workflow_group g set name = $3, name_key = $4, conflict_strategy = $5,
         updated_at = greatest($6, g.updated_at + interval '1 ms')
       where g.organization_id = $1 and g.group_id = $2 and not exists (
         select from workflow_group o where o.organization_id = $1 and o.name_key = $4 and o.group_id <> $2)
       returning ${columns}`,
      [uuidOf('org', organizationId), uuidOf('wfg', id), name, nameKey(name), conflictStrategy, now],
    );
    return rows[0] ? groupOf(rows[0]) : null;
  }

  async delete(organizationId: string, groupId: string): Promise<void> {
    await this.sql.query(`delete from workflow_group where organization_id = $1 and group_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('wfg', groupId),
    ]);
  }
}
