import { jsonbText, newUuid, uuidOf, wireId } from '#database';
import type { Sql } from '#database';
import { recheck } from '../../rules/compiled-version.js';
import type { Line, ListedRun, Run, RunState, Transition, Waiting } from '../../rules/run.js';

interface Row {
  organization_id: string;
  run_id: string;
  workflow_id: string;
  version: number;
  subscriber_id: string;
  state: RunState;
  step_id: string;
  visit: number;
  arrival: number;
  waiting_for: Waiting | null;
  steps_without_wait: number;
  attempts: number;
  first_step_only: boolean;
  goals: string[];
  met: string[];
  started_at: Date;
  fence: string;
}
const columns = `r.organization_id, r.run_id, r.workflow_id, r.version, r.subscriber_id, r.state, r.step_id, r.visit, coalesce(r.arrival, r.visit) as arrival, r.waiting_for,
  r.steps_without_wait, r.attempts, r.first_step_only, r.goals, r.met, r.started_at, r.fence::text as fence`;
const runOf = (row: Row): Run => ({
  organizationId: wireId('org', row.organization_id),
  id: wireId('run', row.run_id),
  workflowId: wireId('wf', row.workflow_id),
  version: row.version,
  subscriberId: wireId('sub', row.subscriber_id),
  state: row.state,
  stepId: row.step_id,
  visit: row.visit,
  arrival: row.arrival,
  waiting: row.waiting_for,
  stepsWithoutWait: row.steps_without_wait,
  attempts: row.attempts,
  firstStepOnly: row.first_step_only,
  goals: row.goals,
  met: row.met,
  startedAt: row.started_at,
  fence: row.fence,
});

/*
 * Whether a run is open, by several conditions. A statement may use any index that has a condition of its own or begins
 * with one of its columns, and the planner does not know which of them reads least while it has no statistics of a large
 * enrolment. So each statement leaves it one index. `unfinished` is for the runs of subscribers. `coalesce` is for runs
 * that are named by their key. Due runs of an organization need no condition.
 */
const open = `r.state in ('ACTIVE', 'WAITING')`;
const unfinished = 'r.finished_at is null';
const [openByKey, activeByKey] = [`coalesce(r.state, '') in ('ACTIVE', 'WAITING')`, `coalesce(r.state, '') = 'ACTIVE'`];
/** The shard of an organization's runs: hash(organization) mod 64. */
const shardCount = 64;
const shardOf = (organization: string) =>
  `abs(hashtextextended(${organization}::uuid::text, 0) % ${shardCount})::smallint`;

/**
 * CTEs, of which the last, `due`, names at most `$1` runs of each shard, and `$2` in all, whose time in the column `at`
 * has come. If more are due, organizations take turns in the order of their ids, beginning after `$3`, so that no tenant
 * waits behind others. Where `$1` are due in a shard, they have equal shares of at least an eighth of `$1`, so that steps
 * stay in batches. Uses statement_timestamp(), since an index cannot be searched by clock_timestamp(), which changes
 * within a statement. Lateral joins with a limit, also to one row, keep the planner from another order of joins.
 */
const dueSql = (at: 'next_action_at' | 'check_at'): string => {
  const isDue = `${at} <= statement_timestamp()`;
  const turn = (organization: string) => `${organization} > $3::uuid desc, ${organization}`;
  return `oldest as materialized (
         select s as shard, d.* from generate_series(0, ${shardCount - 1}) s cross join lateral (
           select r.organization_id, r.run_id, r.workflow_id from run r where r.shard = s and ${open} and ${isDue} order by ${at} limit $1
           for no key update skip locked) d),
       full_shard as (select shard from oldest group by shard having count(*) = $1),
       tenant (shard, org) as (
         select shard, '00000000-0000-0000-0000-000000000000'::uuid from full_shard
         union all
         select t.shard, (select n.organization_id from run n where n.shard = t.shard and n.organization_id > t.org
           and n.${at} is not null order by n.organization_id limit 1)
         from tenant t where t.org is not null),
       sharing as materialized (
         select t.shard, t.org, greatest($1 / count(*) over (partition by t.shard), ceil($1 / 8.0))::int as share
         from tenant t cross join lateral (select from run where shard = t.shard and organization_id = t.org and ${isDue} limit 1) d),
       due as (
         select organization_id, run_id, workflow_id from (
           select organization_id, run_id, workflow_id from oldest where shard not in (select shard from full_shard)
           union all
           select d.* from full_shard f cross join lateral (
             select d.* from (select * from sharing where shard = f.shard order by ${turn('org')}) t cross join lateral (
               select organization_id, run_id, workflow_id from run where shard = t.shard and organization_id = t.org and ${isDue}
               order by ${at} limit t.share for no key update skip locked) d
             limit $1) d) d
         order by ${turn('organization_id')} limit $2)`;
};

/** What a claim takes at most, and whose turn it is. */
export interface ClaimLimits {
  perShard: number;
  most: number;
  /** The organization whose turn was last; null: there was none. */
  after: string | null;
  leaseSeconds: number;
}

export interface NewRun extends Pick<Run, 'workflowId' | 'version' | 'subscriberId' | 'firstStepOnly'> {
  id: string;
  groupId: string | null;
  /** When its filters are tested without an event; null: never. */
  checkAt: Date | null;
}

export class RunRepository {
  constructor(private readonly sql: Sql) {}

  async getNow(): Promise<Date> {
    const rows: { now: Date }[] = await this.sql.query(`select clock_timestamp()::timestamptz(3) as now`);
    return rows[0]!.now;
  }

  /**
   * Claims due runs; organizations take turns if more are due than the limits allow. While a run is claimed,
   * `next_action_at` is the end of its lease. Timers of workflows that are not ACTIVE are put aside.
   */
  async claim({ perShard, most, after, leaseSeconds }: ClaimLimits): Promise<Run[]> {
    const [rows]: [(Row & { live: boolean })[]] = await this.sql.query(
      `with recursive ${dueSql('next_action_at')},
       claimed as materialized (
         select d.organization_id, d.run_id, w.status = 'ACTIVE' as live from due d cross join lateral (
           select status from workflow w where w.organization_id = d.organization_id and w.workflow_id = d.workflow_id limit 1) w)
       update run r set fence = r.fence + 1, state = case when c.live then 'ACTIVE' else r.state end,
         held_at = case when not c.live then r.next_action_at end,
         next_action_at = case when c.live then clock_timestamp() + make_interval(secs => $4) end
       from claimed c where r.organization_id = c.organization_id and r.run_id = c.run_id
       returning ${columns}, c.live`,
      [perShard, most, uuidOf('org', after), leaseSeconds],
    );
    return rows.filter(({ live }) => live).map(runOf);
  }

  /** Claims runs whose filters are due for a test; organizations take turns as in `claim`. */
  async claimChecks({ perShard, most, after, leaseSeconds }: ClaimLimits): Promise<(Run & { checkAt: Date })[]> {
    const [rows]: [(Row & { check_at: Date })[]] = await this.sql.query(
      `with recursive ${dueSql('check_at')}
       update run r set check_at = clock_timestamp() + make_interval(secs => $4)
       from due d where r.organization_id = d.organization_id and r.run_id = d.run_id
       returning ${columns}, r.check_at`,
      [perShard, most, uuidOf('org', after), leaseSeconds],
    );
    return rows.map((row) => ({ ...runOf(row), checkAt: row.check_at }));
  }

  /**
   * Locks the open runs of subscribers, in order, until the commit. Callers raise the fencing token of the runs they
   * change, so that workers can no longer record results for them.
   */
  async lockOpen(organizationIds: readonly string[], subscriberIds: readonly string[]): Promise<Run[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from (select distinct * from unnest($1::uuid[], $2::uuid[]) p(org, person)) p
       cross join lateral (
         select r.organization_id, r.run_id from run r where r.organization_id = p.org and r.subscriber_id = p.person and ${unfinished} offset 0) o
       join run r on r.organization_id = o.organization_id and r.run_id = o.run_id and ${openByKey}
       order by r.organization_id, r.run_id for no key update of r`,
      [organizationIds.map((id) => uuidOf('org', id)), subscriberIds.map((id) => uuidOf('sub', id))],
    );
    return rows.map(runOf);
  }

  async listOpen(organizationId: string, subscriberId: string, workflowId: string): Promise<Run[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from run r where r.organization_id = $1 and r.subscriber_id = $2 and r.workflow_id = $3 and ${unfinished}
       order by r.run_id`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), uuidOf('wf', workflowId)],
    );
    return rows.map(runOf);
  }

  async findSubscriberId(organizationId: string, workflowId: string, runId: string): Promise<string | null> {
    const rows: { subscriber_id: string }[] = await this.sql.query(
      `select subscriber_id from run where organization_id = $1 and run_id = $2 and workflow_id = $3`,
      [uuidOf('org', organizationId), uuidOf('run', runId), uuidOf('wf', workflowId)],
    );
    return rows[0] ? wireId('sub', rows[0].subscriber_id) : null;
  }

  /** Locks open runs by id, in order, until the commit. */
  async lockByIds(runs: readonly Pick<Run, 'organizationId' | 'id'>[]): Promise<Run[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from unnest($1::uuid[], $2::uuid[]) u(org, run)
       join run r on r.organization_id = u.org and r.run_id = u.run and ${openByKey}
       order by r.organization_id, r.run_id for no key update of r`,
      [runs.map(({ organizationId }) => uuidOf('org', organizationId)), runs.map(({ id }) => uuidOf('run', id))],
    );
    return rows.map(runOf);
  }

  /**
   * Locks some open runs of a workflow until the commit. Runs locked by other processes are skipped, or waited for.
   * Waiting locks in order to avoid deadlocks, which means reading all of the workflow's open runs.
   */
  async lockOfWorkflow(
    organizationId: string,
    workflowId: string,
    { limit, held }: { limit: number; held: 'wait' | 'skip' },
  ): Promise<Run[]> {
    const rows: Row[] = await this.sql.query(
      `select ${columns} from run r where r.organization_id = $1 and r.workflow_id = $2 and ${open}
       ${held === 'wait' ? 'order by r.run_id' : ''} limit $3 for no key update ${held === 'skip' ? 'skip locked' : ''}`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId), limit],
    );
    return rows.map(runOf);
  }

  /** Inserts new runs; the first transition writes their positions. */
  async insert(organizationId: string, runs: readonly NewRun[], now: Date): Promise<void> {
    await this.sql.query(
      `insert into run (organization_id, run_id, workflow_id, version, group_id, subscriber_id, state, shard, first_step_only, started_at, check_at)
       select $1::uuid, u.id, u.workflow, u.version, u.grp, u.person, 'ACTIVE', ${shardOf('$1')}, u.first, $8::timestamptz, u.checked
       from unnest($2::uuid[], $3::uuid[], $4::int[], $5::uuid[], $6::uuid[], $7::boolean[], $9::timestamptz[])
         u(id, workflow, version, grp, person, first, checked)`,
      [
        uuidOf('org', organizationId),
        runs.map(({ id }) => uuidOf('run', id)),
        runs.map(({ workflowId }) => uuidOf('wf', workflowId)),
        runs.map(({ version }) => version),
        runs.map(({ groupId }) => uuidOf('wfg', groupId)),
        runs.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
        runs.map(({ firstStepOnly }) => firstStepOnly),
        now,
        runs.map(({ checkAt }) => checkAt),
      ],
    );
  }

  /**
   * Leaves runs alone that have ended, or that another process has claimed since.
   * @returns the ids of the written runs
   */
  async update(transitions: readonly Transition[]): Promise<Set<string>> {
    const rows = transitions.map(({ run, to, visit, goals, lines }) => ({
      org: uuidOf('org', run.organizationId),
      run: uuidOf('run', run.id),
      fence: run.fence,
      stays: to === null,
      state: to?.state,
      step: to?.stepId,
      visit,
      waiting: to?.waiting ?? null,
      at: to?.nextActionAt ?? null,
      steps: to?.stepsWithoutWait,
      attempts: to?.attempts,
      reason: to?.reason ?? null,
      look: to?.look ?? false,
      goals: goals && [...goals],
      lines: lines.map((line: Line) => ({ v: line.visit, s: line.stepId, at: line.at, o: line.outcome, d: line.data })),
    }));
    const [written]: [{ run_id: string }[]] = await this.sql.query(
      `with u as materialized (
         select * from jsonb_to_recordset($1::jsonb) u(org uuid, run uuid, fence bigint, stays boolean, state text, step text, visit int,
           waiting jsonb, at timestamptz, steps int, attempts int, reason text, look boolean, goals jsonb, lines jsonb)),
       mine as materialized (
         select r.organization_id, r.run_id from u join run r on r.organization_id = u.org and r.run_id = u.run
         where r.fence = u.fence and ${openByKey} order by r.organization_id, r.run_id for no key update of r),
       told as (
         insert into run_history (organization_id, run_id, visit, step_id, at, outcome, data)
         select u.org, u.run, l.v, l.s, l.at, l.o, l.d from u join mine m on m.organization_id = u.org and m.run_id = u.run,
           jsonb_to_recordset(u.lines) l(v int, s text, at timestamptz, o text, d jsonb))
       update run r set state = case when u.stays then r.state else u.state end, step_id = case when u.stays then r.step_id else u.step end,
         visit = u.visit, arrival = case when u.stays then coalesce(r.arrival, r.visit) else u.visit end,
         waiting_for = case when u.stays then r.waiting_for else nullif(u.waiting, 'null') end,
         next_action_at = case when u.stays then r.next_action_at else u.at end,
         held_at = case when u.stays then r.held_at end,
         steps_without_wait = case when u.stays then r.steps_without_wait else u.steps end,
         attempts = case when u.stays then r.attempts else u.attempts end, reason = case when u.stays then r.reason else u.reason end,
         goals = case when u.goals is null or u.goals = 'null' then r.goals else array(select jsonb_array_elements_text(u.goals)) end,
         check_at = case when not u.stays and u.state not in ('ACTIVE', 'WAITING') then null when u.look then clock_timestamp() else r.check_at end,
         finished_at = case when not u.stays and u.state not in ('ACTIVE', 'WAITING') then clock_timestamp() end
       from u, mine m where m.organization_id = u.org and m.run_id = u.run and r.organization_id = u.org and r.run_id = u.run
       returning r.run_id`,
      [jsonbText(rows)],
    );
    return new Set(written.map((row) => wireId('run', row.run_id)));
  }

  /**
   * Raises the fencing token of runs that the caller has locked, so that workers can no longer record results for them.
   */
  async raiseFence(runs: readonly Run[]): Promise<Run[]> {
    if (runs.length === 0) return [];
    const [rows]: [{ run_id: string; fence: string }[]] = await this.sql.query(
      `update run r set fence = r.fence + 1 from unnest($1::uuid[], $2::uuid[]) u(org, run)
       where r.organization_id = u.org and r.run_id = u.run returning r.run_id, r.fence::text as fence`,
      [runs.map(({ organizationId }) => uuidOf('org', organizationId)), runs.map(({ id }) => uuidOf('run', id))],
    );
    const fences = new Map(rows.map((row) => [wireId('run', row.run_id), row.fence]));
    return runs.map((run) => ({ ...run, fence: fences.get(run.id)! }));
  }

  /** `attempts` is incremented, and the reason is kept until the step is done. */
  async updateRetry(runs: readonly { run: Run; retrySeconds: number; reason: string }[]): Promise<void> {
    await this.sql.query(
      `update run r set next_action_at = clock_timestamp() + make_interval(secs => u.wait), attempts = r.attempts + 1, reason = u.reason
       from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::float8[], $5::text[]) u(org, run, fence, wait, reason)
       where r.organization_id = u.org and r.run_id = u.run and r.fence = u.fence and ${activeByKey}`,
      [
        runs.map(({ run }) => uuidOf('org', run.organizationId)),
        runs.map(({ run }) => uuidOf('run', run.id)),
        runs.map(({ run }) => run.fence),
        runs.map(({ retrySeconds }) => retrySeconds),
        runs.map(({ reason }) => reason),
      ],
    );
  }

  /** Reschedules runs whose step was not attempted; they are due again after `seconds`. */
  async updateRescheduled(runs: readonly Run[], seconds: number): Promise<void> {
    await this.sql.query(
      `update run r set next_action_at = clock_timestamp() + make_interval(secs => $4)
       from unnest($1::uuid[], $2::uuid[], $3::bigint[]) u(org, run, fence)
       where r.organization_id = u.org and r.run_id = u.run and r.fence = u.fence and ${activeByKey}`,
      [
        runs.map(({ organizationId }) => uuidOf('org', organizationId)),
        runs.map(({ id }) => uuidOf('run', id)),
        runs.map(({ fence }) => fence),
        seconds,
      ],
    );
  }

  /** Makes the filters of runs due for a test; `met` adds the conditions whose event happened. */
  async updateCheckDue(runs: readonly { run: Run; met: readonly string[] }[]): Promise<void> {
    if (runs.length === 0) return;
    await this.sql.query(
      `update run r set check_at = clock_timestamp(),
         met = array(select distinct m from unnest(r.met || array(select jsonb_array_elements_text(u.met))) m)
       from jsonb_to_recordset($1::jsonb) u(org uuid, run uuid, met jsonb) where r.organization_id = u.org and r.run_id = u.run and ${openByKey}`,
      [
        JSON.stringify(
          runs.map(({ run, met }) => ({ org: uuidOf('org', run.organizationId), run: uuidOf('run', run.id), met })),
        ),
      ],
    );
  }

  /**
   * Records that the filters of runs were tested; the next test is at `next`, or after an event. A test requested by an
   * event in the meantime stays due. Runs that need one more test keep their met conditions.
   */
  async updateChecked(runs: readonly { run: Run & { checkAt: Date }; next: Date | null }[]): Promise<void> {
    if (runs.length === 0) return;
    await this.sql.query(
      `update run r set check_at = case when ${open} then u.next end,
         met = case when '${recheck}' = any(r.met) then array_remove(r.met, '${recheck}') else '{}' end
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[]) u(org, run, leased, next)
       where r.organization_id = u.org and r.run_id = u.run and coalesce(r.check_at, '-infinity') = u.leased`,
      [
        runs.map(({ run }) => uuidOf('org', run.organizationId)),
        runs.map(({ run }) => uuidOf('run', run.id)),
        runs.map(({ run }) => run.checkAt),
        runs.map(({ next }) => next),
      ],
    );
  }

  /** Erases the addresses from the history of deleted subscribers' runs. */
  async eraseAddresses(people: readonly Pick<Run, 'organizationId' | 'subscriberId'>[]): Promise<void> {
    await this.sql.query(
      `update run_history l set data = l.data - 'email'
       from unnest($1::uuid[], $2::uuid[]) p(org, person) join run r on r.organization_id = p.org and r.subscriber_id = p.person
       where l.organization_id = r.organization_id and l.run_id = r.run_id and l.data ? 'email'`,
      [
        people.map(({ organizationId }) => uuidOf('org', organizationId)),
        people.map(({ subscriberId }) => uuidOf('sub', subscriberId)),
      ],
    );
  }

  /**
   * Releases up to `limit` held timers of one workflow, in no order: sorting would read all of them. @returns how many
   */
  async release(organizationId: string, workflowId: string, limit: number): Promise<number> {
    const [rows]: [unknown[]] = await this.sql.query(
      `with held as materialized (
         select organization_id, run_id from run where organization_id = $1 and workflow_id = $2 and held_at is not null
         limit $3 for no key update skip locked)
       update run r set next_action_at = clock_timestamp(), held_at = null
       from held h where r.organization_id = h.organization_id and r.run_id = h.run_id returning 1`,
      [uuidOf('org', organizationId), uuidOf('wf', workflowId), limit],
    );
    return rows.length;
  }

  async listNames(runs: readonly Run[]): Promise<Map<string, string>> {
    const rows: { workflow_id: string; name: string }[] = await this.sql.query(
      `select w.workflow_id, w.name from (select distinct * from unnest($1::uuid[], $2::uuid[]) u(org, id)) u
       join workflow w on w.organization_id = u.org and w.workflow_id = u.id`,
      [
        runs.map(({ organizationId }) => uuidOf('org', organizationId)),
        runs.map(({ workflowId }) => uuidOf('wf', workflowId)),
      ],
    );
    return new Map(rows.map((row) => [wireId('wf', row.workflow_id), row.name]));
  }

  /**
   * Returns a subscriber's runs (or the one with an id) with their history: open ones first, then those that ended
   * last.
   */
  async list(
    organizationId: string,
    {
      subscriberId,
      workflowId,
      runId = null,
    }: { subscriberId: string; workflowId: string | null; runId?: string | null },
  ): Promise<ListedRun[]> {
    const rows: (Row & {
      name: string;
      next: Date | null;
      finished_at: Date | null;
      reason: string | null;
      lines: ListedRun['lines'] | null;
    })[] = await this.sql.query(
      `select ${columns}, w.name, coalesce(r.next_action_at, r.held_at) as next, r.finished_at, r.reason, h.lines
       from (select * from run r where r.organization_id = $1 and r.subscriber_id = $2 and ($3::uuid is null or r.workflow_id = $3) and ($4::uuid is null or r.run_id = $4)
         order by ${open} desc, r.finished_at desc nulls first, r.run_id desc limit 50) r
       join workflow w on w.organization_id = r.organization_id and w.workflow_id = r.workflow_id
       left join lateral (
         select jsonb_agg(jsonb_build_object('stepId', l.step_id, 'at', l.at, 'outcome', l.outcome, 'data', l.data) order by l.visit) as lines
         from (select * from run_history l where l.organization_id = r.organization_id and l.run_id = r.run_id
           order by l.visit desc limit 100) l) h on true
       order by ${open} desc, r.finished_at desc nulls first, r.run_id desc`,
      [uuidOf('org', organizationId), uuidOf('sub', subscriberId), uuidOf('wf', workflowId), uuidOf('run', runId)],
    );
    return rows.map((row) => ({
      run: runOf(row),
      workflowName: row.name,
      nextActionAt: row.next,
      finishedAt: row.finished_at,
      reason: row.reason,
      lines: (row.lines ?? []).map((line) => ({ ...line, at: new Date(line.at).toISOString() })),
    }));
  }
}

export const newRunId = (): string => wireId('run', newUuid());
