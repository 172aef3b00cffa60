import type { Named, NamesAsked, WorkflowStatus } from '#contracts';
import { createdAtOf, jsonbText, NamedRepository, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { literalInPattern, searchText, ToolError } from '#tool-call';
import { emptyDraft } from '../../rules/draft/draft.js';
import type { Destination } from '../../rules/draft/target-workflows.js';
import type { Draft } from '../../rules/draft/draft.js';
import type { Settings, SuccessGoal } from '../../rules/graph/step-config.js';
import type { Graph } from '../../rules/graph/graph.js';
import { openMetric } from '../../rules/step-counters.js';
import type { ListedWorkflow, Version, Workflow } from '../../rules/workflow.js';
import type { Starting } from '../../rules/start-cycle.js';

interface NamedRow {
  workflow_id: string;
  name: string;
}
const namedOf = ({ workflow_id, name }: NamedRow): Named => ({ id: wireId('wf', workflow_id), name });

export interface ListedRow extends NamedRow {
  status: WorkflowStatus;
  group_id: string | null;
  updated_at: Date;
  open: number;
}
interface Row extends ListedRow {
  draft: Graph;
  settings: Settings;
  success_goals: SuccessGoal[];
  published_version: number | null;
  paused_reason: string | null;
}
/** Columns without the draft, since lists may hold a thousand workflows. */
export const listedColumns = `w.workflow_id, w.name, w.status, w.group_id, w.updated_at`;
const columns = `${listedColumns}, w.draft, w.settings, w.success_goals, w.published_version,
  case when w.status = 'PAUSED' then w.paused_reason end as paused_reason`;
export const openRuns = `(select coalesce(sum(n), 0)::int from (
  select n from tally where organization_id = $1 and metric = '${openMetric}' and key = w.workflow_id::text
  union all select n from tally_delta where organization_id = $1 and metric = '${openMetric}' and key = w.workflow_id::text) t) as open`;

const listedOf = (row: ListedRow): ListedWorkflow => ({
  id: wireId('wf', row.workflow_id),
  name: row.name,
  status: row.status,
  groupId: row.group_id && wireId('wfg', row.group_id),
  createdAt: createdAtOf(row.workflow_id),
  updatedAt: row.updated_at,
});
export const counted = (row: ListedRow) => ({ workflow: listedOf(row), open: row.open });
const workflowOf = (row: Row): Workflow => ({
  ...listedOf(row),
  draft: { graph: row.draft, settings: row.settings, successGoals: row.success_goals },
  publishedVersion: row.published_version,
  pausedReason: row.paused_reason,
});

/** Increases the version token with every write, even if two fall into one millisecond. */
const touched = (now: string) => `updated_at = greatest(${now}, w.updated_at + interval '1 ms')`;

export class WorkflowRepository {
  constructor(private readonly sql: Sql) {}

  /** Unknown workflows are left out. */
  listNamed(organizationId: string, asked: NamesAsked): Promise<Named[]> {
    return new NamedRepository(this.sql, { table: 'workflow', prefix: 'wf' }).list(organizationId, asked);
  }

  /**
   * Lists ACTIVE workflows whose live version names one of these ids; the graph holds each id as a whole text value.
   */
  async listActiveNaming(organizationId: string, ids: readonly string[]): Promise<Named[]> {
    const rows: NamedRow[] = await this.sql.query(
      `select w.workflow_id, w.name from workflow w
       join workflow_version v on v.organization_id = $1 and v.workflow_id = w.workflow_id and v.version = w.published_version
       where w.organization_id = $1 and w.status = 'ACTIVE' and exists (
         select from unnest($2::text[]) id
         where strpos(v.graph::text || v.settings::text || v.success_goals::text || v.emails::text, to_json(id)::text) > 0)
       order by w.workflow_id`,
      [uuidOf('org', organizationId), ids],
    );
    return rows.map(namedOf);
  }

  /** Returns the live versions of ACTIVE workflows, with the fields that show how workflows start each other. */
  async listStarting(organizationId: string): Promise<Starting[]> {
    const rows: { workflow_id: string; name: string; graph: Starting['graph']; reentry: Starting['reentry'] }[] =
      await this.sql.query(
        `select w.workflow_id, w.name, v.graph, v.settings->>'reentry' as reentry from workflow w
         join workflow_version v on v.organization_id = $1 and v.workflow_id = w.workflow_id and v.version = w.published_version
         where w.organization_id = $1 and w.status = 'ACTIVE'`,
        [uuidOf('org', organizationId)],
      );
    return rows.map(({ workflow_id, ...row }) => ({ id: wireId('wf', workflow_id), ...row }));
  }

  /** Returns workflows by id with the steps of their live versions; unknown ids are left out. */
  async listDestinations(organizationId: string, ids: readonly string[]): Promise<Destination[]> {
    if (ids.length === 0) return [];
    const rows: (Pick<Row, 'workflow_id' | 'name' | 'status'> & { steps: string[] })[] = await this.sql.query(
      `select w.workflow_id, w.name, w.status, array(select s ->> 'id' from jsonb_array_elements(v.graph -> 'steps') s) as steps
       from workflow w left join workflow_version v
         on v.organization_id = $1 and v.workflow_id = w.workflow_id and v.version = w.published_version
       where w.organization_id = $1 and w.workflow_id = any($2::uuid[])`,
      [uuidOf('org', organizationId), ids.map((id) => uuidOf('wf', id))],
    );
    return rows.map(({ status, steps, ...row }) => ({ ...namedOf(row), status, stepIds: steps }));
  }

  async count(organizationId: string): Promise<number> {
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from workflow where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    return rows[0]!.n;
  }

  /** @throws ToolError WORKFLOW_NOT_FOUND for an unknown, malformed or another organization's id */
  async get(
    organizationId: string,
    workflowId: string,
    { lock = false } = {},
  ): Promise<{ workflow: Workflow; open: number }> {
    const rows: Row[] = await this.sql.query(
      `select ${columns}, ${openRuns} from workflow w where w.organization_id = $1 and w.workflow_id = $2 ${lock ? 'for update of w' : ''}`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
    );
    if (!rows[0]) throw new ToolError('WORKFLOW_NOT_FOUND', { id: workflowId });
    return { workflow: workflowOf(rows[0]), open: rows[0].open };
  }

  /** Returns the newest workflows whose name contains the text, and the number of matches. */
  async list(
    organizationId: string,
    { query, limit }: { query: string | null; limit: number },
  ): Promise<{ workflows: { workflow: ListedWorkflow; open: number }[]; total: number }> {
    const text = searchText(query);
    const where = `w.organization_id = $1 and ($2::text is null or lower(w.name) like lower($2))`;
    const key = [uuidOf('org', organizationId), text && `%${literalInPattern(text)}%`];
    const rows: ListedRow[] = await this.sql.query(
      `select ${listedColumns}, ${openRuns} from workflow w where ${where} order by w.workflow_id desc limit $3`,
      [...key, limit],
    );
    const total: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from workflow w where ${where}`,
      key,
    );
    return { workflows: rows.map(counted), total: total[0]!.n };
  }

  async listOfGroup(organizationId: string, groupId: string): Promise<{ workflow: ListedWorkflow; open: number }[]> {
    const rows: ListedRow[] = await this.sql.query(
      `select ${listedColumns}, ${openRuns} from workflow w where w.organization_id = $1 and w.group_id = $2 order by w.workflow_id`,
      [uuidOf('org', organizationId), uuidOf('wfg', groupId)],
    );
    return rows.map(counted);
  }

  async insert(organizationId: string, name: string): Promise<Workflow> {
    const id = newUuid();
    const { graph, settings, successGoals } = emptyDraft();
    const rows: Row[] = await this.sql.query(
      `insert into workflow as w (organization_id, workflow_id, name, status, draft, settings, success_goals, updated_at)
       values ($1, $2, $3, 'DRAFT', $4, $5, $6, $7) returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), id, name],
        ...[graph, settings, successGoals].map((value) => JSON.stringify(value)),
        createdAtOf(id),
      ],
    );
    return workflowOf(rows[0]!);
  }

  /** Saves a draft. @returns null when the workflow was changed since it was read */
  async updateDraft(organizationId: string, read: Workflow, draft: Draft, now: Date): Promise<Workflow | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update workflow w set draft = $4, settings = $5, success_goals = $6, ${touched('$7')}
       where w.organization_id = $1 and w.workflow_id = $2 and w.updated_at = $3 returning ${columns}`,
      [
        ...[uuidOf('org', organizationId), uuidOf('wf', read.id), read.updatedAt],
        ...[draft.graph, draft.settings, draft.successGoals].map(jsonbText),
        now,
      ],
    );
    return rows[0] ? workflowOf(rows[0]) : null;
  }

  /** Sets or clears the group of a workflow. @returns null when it was changed since */
  async updateGroup(
    organizationId: string,
    read: Workflow,
    groupId: string | null,
    now: Date,
  ): Promise<Workflow | null> {
    const [rows]: [Row[]] = await this.sql.query(
      `update workflow w set group_id = $4, ${touched('$5')}
       where w.organization_id = $1 and w.workflow_id = $2 and w.updated_at = $3 returning ${columns}`,
      [uuidOf('org', organizationId), uuidOf('wf', read.id), read.updatedAt, uuidOf('wfg', groupId), now],
    );
    return rows[0] ? workflowOf(rows[0]) : null;
  }

  async updateUngrouped(organizationId: string, groupId: string, now: Date): Promise<void> {
    await this.sql.query(
      `update workflow w set group_id = null, ${touched('$3')} where w.organization_id = $1 and w.group_id = $2`,
      [uuidOf('org', organizationId), uuidOf('wfg', groupId), now],
    );
  }

  /** Updates the version token after a change of the draft; the caller has locked the row. */
  async updateTouched(organizationId: string, id: string, now: Date): Promise<void> {
    await this.sql.query(`update workflow w set ${touched('$3')} where w.organization_id = $1 and w.workflow_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('wf', id),
      now,
    ]);
  }

  /**
   * Changes the status; the caller has locked the row. After a pause by the system, the count of starts begins again.
   */
  async updateStatus(
    organizationId: string,
    id: string,
    { status, pausedReason }: { status: WorkflowStatus; pausedReason: string | null },
    now: Date,
  ): Promise<Workflow> {
    const [rows]: [Row[]] = await this.sql.query(
      `update workflow w set status = $3, paused_reason = $5, ${touched('$4')},
         resumed_at = case when w.status = 'PAUSED' and w.paused_reason is not null then clock_timestamp() else w.resumed_at end
       where w.organization_id = $1 and w.workflow_id = $2 returning ${columns}`,
      [uuidOf('org', organizationId), uuidOf('wf', id), status, now, pausedReason],
    );
    return workflowOf(rows[0]!);
  }

  async updateSweep(organizationId: string, id: string, sweep: 'RELEASE' | 'CANCEL' | null): Promise<void> {
    await this.sql.query(`update workflow set sweep = $3 where organization_id = $1 and workflow_id = $2`, [
      uuidOf('org', organizationId),
      uuidOf('wf', id),
      sweep,
    ]);
  }

  /** Lists workflows with a pending change of their runs; `settled` is true a minute after the status changed. */
  async listSwept(): Promise<{ organizationId: string; id: string; sweep: 'RELEASE' | 'CANCEL'; settled: boolean }[]> {
    const rows: { organization_id: string; workflow_id: string; sweep: 'RELEASE' | 'CANCEL'; settled: boolean }[] =
      await this.sql.query(
        `select organization_id, workflow_id, sweep, updated_at < clock_timestamp() - interval '1 minute' as settled
         from workflow where sweep is not null order by organization_id, workflow_id limit 200`,
      );
    return rows.map(({ organization_id, workflow_id, ...row }) => ({
      ...row,
      organizationId: wireId('org', organization_id),
      id: wireId('wf', workflow_id),
    }));
  }

  async delete(organizationId: string, id: string): Promise<void> {
    const key = [uuidOf('org', organizationId), uuidOf('wf', id)];
    await this.sql.query(`delete from workflow_email where organization_id = $1 and workflow_id = $2`, key);
    await this.sql.query(`delete from workflow where organization_id = $1 and workflow_id = $2`, key);
  }

  async findVersion(organizationId: string, id: string, version: number | null): Promise<Version | null> {
    const rows: {
      graph: Graph;
      settings: Settings;
      success_goals: SuccessGoal[];
      published_at: Date;
      version: number;
    }[] = await this.sql.query(
      `select graph, settings, success_goals, published_at, version from workflow_version
         where organization_id = $1 and workflow_id = $2 and version = $3`,
      [uuidOf('org', organizationId), uuidOf('wf', id), version],
    );
    const row = rows[0];
    if (!row) return null;
    const { graph, settings, success_goals: successGoals, published_at: publishedAt } = row;
    return { graph, settings, successGoals, publishedAt, version: row.version };
  }
}
