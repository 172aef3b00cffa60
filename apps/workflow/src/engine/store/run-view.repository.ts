import { uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { metricOf } from '../../rules/step-counters.js';
import type { FlowCount } from '../../rules/step-flow.js';
import type { RunState } from '../../rules/run.js';

/** Selects runs of one workflow; null selects all. */
export interface RunSelection {
  workflowId: string;
  status: RunState | null;
  stepId: string | null;
  version: number | null;
}

export interface RunSummary {
  id: string;
  version: number;
  subscriberId: string;
  state: RunState;
  stepId: string;
  attempts: number;
  nextActionAt: Date | null;
  startedAt: Date;
  finishedAt: Date | null;
  reason: string | null;
}

interface Row {
  run_id: string;
  version: number;
  subscriber_id: string;
  state: RunState;
  step_id: string;
  attempts: number;
  next: Date | null;
  started_at: Date;
  finished_at: Date | null;
  reason: string | null;
}

const countedMax = 10_000;

/** Lines of history that end a stay at a step; the name of a branch may be the same word. */
const isLeaving = `not (h.outcome = 'WAITING' and h.data ? 'until') and not (h.outcome = 'GOAL_MET' and h.data ? 'goal')`;

export class RunViewRepository {
  constructor(private readonly sql: Sql) {}

  /** Lists one page, most recently started first, after the run `after`. */
  async list(
    organizationId: string,
    selection: RunSelection,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ runs: RunSummary[]; more: boolean }> {
    const { params, conditions } = conditionsOf(organizationId, selection);
    if (after !== null) conditions.push(`r.run_id < $${params.push(uuidOf('run', after))}`);
    const rows: Row[] = await this.sql.query(
      `select r.run_id, r.version, r.subscriber_id, r.state, r.step_id, r.attempts, coalesce(r.next_action_at, r.held_at) as next,
         r.started_at, r.finished_at, r.reason
       from run r where ${conditions.join(' and ')} order by r.run_id desc limit $${params.push(limit + 1)}`,
      params,
    );
    const runs = rows.slice(0, limit).map((row) => ({
      id: wireId('run', row.run_id),
      version: row.version,
      subscriberId: wireId('sub', row.subscriber_id),
      state: row.state,
      stepId: row.step_id,
      attempts: row.attempts,
      nextActionAt: row.next,
      startedAt: row.started_at,
      finishedAt: row.finished_at,
      reason: row.reason,
    }));
    return { runs, more: rows.length > limit };
  }

  async count(organizationId: string, selection: RunSelection): Promise<{ total: number; totalIsMinimum?: true }> {
    const { params, conditions } = conditionsOf(organizationId, selection);
    const rows: { n: number }[] = await this.sql.query(
      `select count(*)::int as n from (select from run r where ${conditions.join(' and ')} limit ${countedMax + 1}) r`,
      params,
    );
    const { n } = rows[0]!;
    return n > countedMax ? { total: countedMax, totalIsMinimum: true } : { total: n };
  }

  /** Sums the kept counts of passages up to the day `to`; days before `from` fall on the day before it. */
  async listFlow(
    organizationId: string,
    workflowId: string,
    { from, to }: { from: string; to: string },
  ): Promise<FlowCount[]> {
    const rows: { key: string; day: string; n: number }[] = await this.sql.query(
      `select key, greatest(day, $3::date - 1)::text as day, sum(n)::float8 as n from (
         select key, day, n from tally where organization_id = $1 and metric = $2
         union all select key, day, n from tally_delta where organization_id = $1 and metric = $2) t
       where day <= $4::date and key ~ '^(in|out):' group by 1, 2`,
      [uuidOf('org', organizationId), metricOf(uuidOf('wf', workflowId)!), from, to],
    );
    return rows.map(({ key, ...row }) => {
      const [way, stepId] = key.split(':') as ['in' | 'out', string];
      return { ...row, way, stepId };
    });
  }

  /** The same for the runs of one version, from their history, since counts are not kept by version. */
  async listFlowOfVersion(
    organizationId: string,
    { workflowId, version }: { workflowId: string; version: number },
    { from, to }: { from: string; to: string },
  ): Promise<FlowCount[]> {
    return await this.sql.query(
      `with own as (
         select run_id, state, step_id, started_at from run where organization_id = $1 and workflow_id = $2 and version = $3),
       stay as (
         select h.run_id, h.visit, h.step_id, h.at as left_at, coalesce(lag(h.at) over w, own.started_at) as entered_at
         from own join run_history h on h.organization_id = $1 and h.run_id = own.run_id
         where ${isLeaving} window w as (partition by h.run_id order by h.visit)),
       passage as (
         select step_id, 'out' as way, left_at as at from stay
         union all select step_id, 'in', entered_at from stay
         union all select own.step_id, 'in', coalesce((select max(left_at) from stay where stay.run_id = own.run_id), own.started_at)
           from own where own.state in ('ACTIVE', 'WAITING'))
       select step_id as "stepId", way, greatest((at at time zone 'UTC')::date, $4::date - 1)::text as day, count(*)::float8 as n
       from passage where at < $5::date + 1 group by 1, 2, 3`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId), version, from, to],
    );
  }
}

function conditionsOf(organizationId: string, { workflowId, status, stepId, version }: RunSelection) {
  const params: unknown[] = [uuidOf('org', organizationId), uuidOf('wf', workflowId)];
  const conditions = ['r.organization_id = $1 and r.workflow_id = $2'];
  if (status !== null) conditions.push(`r.state = $${params.push(status)}`);
  if (stepId !== null) conditions.push(`r.step_id = $${params.push(stepId)}`);
  if (version !== null) conditions.push(`r.version = $${params.push(version)}`);
  return { params, conditions };
}
