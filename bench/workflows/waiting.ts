import { setTimeout as sleep } from 'node:timers/promises';
import { newUuid, uuidOf } from '#database';
import { report } from '../report.js';
import { awaitSlowly, quantile } from './organization.js';
import type { Sizes, Organization } from './organization.js';

const steps = [
  { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
  { id: 'wait', type: 'WAIT', config: { amount: 30, unit: 'DAYS' } },
  { id: 'tag', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['half'] } },
];
const dueShare = 100;
const idleSeconds = 30;
/** Filling leaves work behind for the database; it is no cost of waiting. */
const settleMs = 5_000;
const firedMs = 180_000;

/** Runs that wait, some of which are due in one second: what waiting costs, and how late the timers fire. */
export async function waiting(organization: Organization, { waiting: count }: Sizes): Promise<void> {
  const due = Math.floor(count / dueShare);
  const { organizationId } = await organization.organization(due);
  const workflowId = await organization.workflow(organizationId, steps);
  const without = await idleCost(organization);
  await fill(organization, { organizationId, workflowId, count });
  const idle = await idleCost(organization);
  const late = await fire(organization, { organizationId, workflowId, due });
  report(
    `workflows: ${count} waiting runs, ${due} of them due in one second`,
    [
      { name: 'idle, nobody waits, %', ...without },
      { name: 'idle, all wait, % of a core', ...idle },
      { name: 'lateness, s', p50: quantile(late, 0.5), p99: quantile(late, 0.99), most: Math.max(...late) },
    ],
    [
      { name: 'idle cost, % of a core', value: idle.service + idle.database, bar: '<= 2' },
      { name: 'p99 of lateness, s', value: quantile(late, 0.99), bar: '<= 60' },
    ],
  );
}

/** What the service and its connections to the database spend while nothing is due, in hundredths of a core. */
async function idleCost(organization: Organization): Promise<{ service: number; database: number }> {
  await sleep(settleMs);
  const before = await organization.used();
  await sleep(idleSeconds * 1000);
  const after = await organization.used();
  const share = (seconds: number) => (seconds / idleSeconds) * 100;
  // A connection that was closed meanwhile had done nothing for as long.
  const each = [...after.connections].map(([pid, seconds]) => seconds - (before.connections.get(pid) ?? 0));
  return {
    service: share(after.service - before.service),
    database: share(each.reduce((sum, seconds) => sum + seconds, 0)),
  };
}

interface Place {
  organizationId: string;
  workflowId: string;
}

/** Runs as enrolment leaves them, of people who are there for as many as will be due. */
async function fill(
  organization: Organization,
  { organizationId, workflowId, count }: Place & { count: number },
): Promise<void> {
  const key = [uuidOf('org', organizationId), uuidOf('wf', workflowId)];
  await organization.sql.query(
    `insert into workflow.run (organization_id, run_id, workflow_id, version, subscriber_id, state, step_id, visit, waiting_for,
       next_action_at, shard, started_at)
     select $1, overlay(md5(n::text || $3) placing '7' from 13)::uuid, $2, 1, coalesce(s.subscriber_id, md5($3 || n)::uuid), 'WAITING', 'wait', 2,
       jsonb_build_object('kind', 'WAIT', 'since', now()), now() + interval '30 days' + n * interval '1 second',
       abs(hashtextextended($1::uuid::text, 0) % 64), now()
     from generate_series(1, $4::int) n left join (
       select row_number() over (order by subscriber_id) as n, subscriber_id from subscriber.subscriber where organization_id = $1) s using (n)`,
    [...key, newUuid(), count],
  );
  await organization.sql.query('vacuum analyze workflow.run');
  await organization.sql.query('checkpoint');
}

/** Makes the first runs due within one second. @returns how late each fired, in seconds */
async function fire(
  organization: Organization,
  { organizationId, workflowId, due }: Place & { due: number },
): Promise<number[]> {
  const key = [uuidOf('org', organizationId), uuidOf('wf', workflowId)];
  const { rows } = await organization.sql.query<{ run_id: string; next_action_at: Date }>(
    `with early as (select run_id, row_number() over (order by next_action_at) as n from workflow.run
       where organization_id = $1 and workflow_id = $2 order by next_action_at limit $3)
     update workflow.run r set next_action_at = clock_timestamp() + interval '5 seconds' + s.n::float8 / $3 * interval '1 second'
     from early s where r.organization_id = $1 and r.run_id = s.run_id returning r.run_id, r.next_action_at`,
    [...key, due],
  );
  const dueAt = new Map(rows.map((row) => [row.run_id, row.next_action_at.getTime()]));
  const ended = async () => {
    const found = await organization.sql.query<{ run_id: string; finished_at: Date }>(
      `select run_id, finished_at from workflow.run where organization_id = $1 and workflow_id = $2 and state = 'COMPLETED'`,
      key,
    );
    return found.rows;
  };
  await awaitSlowly('every timer has fired', async () => (await ended()).length >= due, firedMs);
  const effects = await organization.sql.query<{ n: string; runs: string }>(
    `select count(*) as n, count(distinct run_id) as runs from workflow.run_history
     where organization_id = $1 and step_id = 'tag' and outcome = 'DONE'`,
    [key[0]],
  );
  const over = await ended();
  const { n, runs } = effects.rows[0]!;
  if (over.length !== due || Number(n) !== due || Number(runs) !== due)
    throw new Error(`${over.length} runs ended and ${n} effects of ${runs} runs were told, of ${due} that were due`);
  return over.map((row) => (row.finished_at.getTime() - dueAt.get(row.run_id)!) / 1000);
}
