import type { WorkflowStatus } from '#contracts';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import { literalInPattern } from '#tool-call';
import type { ListedWorkflow } from '../../rules/workflow.js';
import { counted, listedColumns, openRuns } from './workflow.repository.js';
import type { ListedRow } from './workflow.repository.js';

/** Selects workflows; `groupId` undefined: of any group, null: of none. */
export interface WorkflowSelection {
  query: string | null;
  statuses: readonly WorkflowStatus[];
  groupId: string | null | undefined;
}

export interface WorkflowPage {
  sort: 'createdAt' | 'updatedAt' | 'name';
  order: 'ASC' | 'DESC';
  limit: number;
  /** The last workflow of the page before: its value (ISO 8601 for instants) and its id. */
  after: { value: string; id: string } | null;
}

/** The value that a page is sorted by, as text; ids are in the order of their creation. */
const sortKeys = {
  createdAt: `w.workflow_id`,
  updatedAt: `w.updated_at`,
  name: `lower(w.name) collate "C"`,
} as const;
/** The same of the workflow after which a page begins; `at` is the parameter of its value. */
const placeKeys = {
  createdAt: (at: string) => `${at}::uuid`,
  updatedAt: (at: string) => `${at}::timestamptz`,
  name: (at: string) => `lower(${at}::text) collate "C"`,
};

/** An organization has some thousand workflows at most, which one scan reads. */
export class WorkflowSearchRepository {
  constructor(private readonly sql: Sql) {}

  /** @returns at most `limit` workflows, each with its open runs, and whether there are more */
  async list(
    organizationId: string,
    selection: WorkflowSelection,
    { sort, order, limit, after }: WorkflowPage,
  ): Promise<{ workflows: { workflow: ListedWorkflow; open: number }[]; more: boolean }> {
    const { params, conditions } = conditionsOf(organizationId, selection);
    const key = sortKeys[sort];
    if (after) {
      const value = sort === 'createdAt' ? uuidOf('wf', after.id) : after.value;
      const place = `(${placeKeys[sort](`$${params.push(value)}`)}, $${params.push(uuidOf('wf', after.id))}::uuid)`;
      conditions.push(`(${key}, w.workflow_id) ${order === 'ASC' ? '>' : '<'} ${place}`);
    }
    const way = order.toLowerCase();
    const rows: ListedRow[] = await this.sql.query(
      `select ${listedColumns}, ${openRuns} from workflow w where ${conditions.join(' and ')}
       order by ${key} ${way}, w.workflow_id ${way} limit $${params.push(limit + 1)}`,
      params,
    );
    return { workflows: rows.slice(0, limit).map(counted), more: rows.length > limit };
  }

  /** Counts the selected workflows of each status, whatever statuses are selected. */
  async countByStatus(
    organizationId: string,
    selection: WorkflowSelection,
  ): Promise<Partial<Record<WorkflowStatus, number>>> {
    const { params, conditions } = conditionsOf(organizationId, { ...selection, statuses: [] });
    const rows: { status: WorkflowStatus; n: number }[] = await this.sql.query(
      `select status, count(*)::int as n from workflow w where ${conditions.join(' and ')} group by status`,
      params,
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  }
}

function conditionsOf(organizationId: string, { query, statuses, groupId }: WorkflowSelection) {
  const params: unknown[] = [uuidOf('org', organizationId)];
  const conditions = ['w.organization_id = $1'];
  const text = query?.replaceAll('\0', '').trim();
  if (text) conditions.push(`lower(w.name) like lower($${params.push(`%${literalInPattern(text)}%`)})`);
  if (statuses.length > 0) conditions.push(`w.status = any($${params.push(statuses)}::text[])`);
  if (groupId === null) conditions.push('w.group_id is null');
  else if (groupId !== undefined) conditions.push(`w.group_id = $${params.push(uuidOf('wfg', groupId))}`);
  return { params, conditions };
}
