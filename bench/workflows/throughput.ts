import pg from 'pg';
import { workflowRunTools } from '#contracts';
import { uuidOf } from '#database';
import { median, report } from '../report.js';
import { awaitSlowly } from './organization.js';
import type { Sizes, Organization } from './organization.js';

/** WAIT, EMAIL, ACTION. */
const stepsOfRun = 3;
/** As many rows as the engine takes of one queue. */
const claimed = 200;
/** Four keep two cores and a disk busy. */
const connections = 4;
/** Rounds of one run are many; their rate shows in fewer. */
const singleMax = 5_000;
const steps = [
  { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
  { id: 'wait', type: 'WAIT', config: { duration: 1 } },
  { id: 'mail', type: 'EMAIL', config: { subject: 'Hello', contentType: 'MARKDOWN', content: 'Hello {{name}}' } },
  { id: 'tag', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['half'] } },
];
/** Nothing here takes longer a run, even on a slow machine. */
const patienceMs = (size: number) => 60_000 + size * 10;

/** Enrolments of all subscribers through WAIT, EMAIL and ACTION; mail is counted when delivery has accepted it. */
export async function through(organization: Organization, { size, runs }: Sizes): Promise<void> {
  await engineRun(organization, Math.min(size, 1_000));
  const before = await organization.spent();
  let after = before;
  const [tenant, single, batched] = [[] as number[], [] as number[], [] as number[]];
  for (let run = 0; run < runs; run++) {
    tenant.push(size / (await engineRun(organization, size)));
    if (run === 0) after = await organization.spent();
    single.push(await bareRounds(organization, { count: Math.min(size, singleMax), claimed: 1, connections }));
    batched.push(await bareRounds(organization, { count: size, claimed, connections: 1 }));
    const figures = [tenant, single, batched].map((rates) => rates.at(-1)!.toFixed(0)).join(', ');
    process.stderr.write(`· runs a second: engine, bare rounds, bare rounds of ${claimed}: ${figures}\n`);
  }
  report(
    `workflows: ${size} enrolments through WAIT, EMAIL and ACTION, medians of ${runs}`,
    [
      { name: 'the engine', 'runs/s': median(tenant) },
      { name: 'bare rounds, one run each', 'runs/s': median(single) },
      { name: `bare rounds of ${claimed} runs`, 'runs/s': median(batched) },
      { name: 'processor time, ms a run', ...spentFigures(before, after, size) },
    ],
    [
      { name: 'against bare rounds, one run each', value: median(tenant) / median(single), bar: '>= 0.4' },
      { name: `against bare rounds of ${claimed} runs`, value: median(tenant) / median(batched), bar: '(no bar)' },
    ],
  );
}

/** What each process spent on a run, in milliseconds. */
const spentFigures = (before: Map<string, number>, after: Map<string, number>, size: number) =>
  Object.fromEntries([...after].map(([name, seconds]) => [name, ((seconds - (before.get(name) ?? 0)) * 1000) / size]));

/** @returns seconds from the call until every message was accepted and every run was over */
async function engineRun(organization: Organization, size: number): Promise<number> {
  const { organizationId } = await organization.organization(size);
  const workflowId = await organization.workflow(organizationId, steps);
  const begun = performance.now();
  await organization.bus
    .client(workflowRunTools)
    .add_subscribers_to_workflow({ workflowId }, organization.caller(organizationId));
  const count = async (query: string, id: string | null) =>
    Number((await organization.sql.query<{ n: string }>(query, [id])).rows[0]!.n);
  const over = `select count(*) as n from workflow.run where workflow_id = $1 and state = 'COMPLETED'`;
  const all = async () => (await count(over, uuidOf('wf', workflowId))) === size;
  await awaitSlowly('every run is over', all, patienceMs(size));
  const seconds = (performance.now() - begun) / 1000;
  const mails = `select count(*) as n from delivery.message where kind = 'WORKFLOW' and organization_id = $1`;
  const accepted = await count(mails, uuidOf('org', organizationId));
  if (accepted !== size) throw new Error(`${accepted} messages of ${size} were accepted`);
  return seconds;
}

/**
 * One round for each step of a run: due rows are taken under a lease, then moved to their next step, each with its own
 * commit. @returns runs a second
 */
async function bareRounds(
  { sql, system }: Organization,
  { count, claimed: limit, connections: clients }: { count: number; claimed: number; connections: number },
): Promise<number> {
  await sql.query(
    `create table public.bare (id int primary key, due_at timestamptz not null, step int not null) with (fillfactor = 80)`,
  );
  await sql.query(`insert into public.bare select n, clock_timestamp(), 0 from generate_series(1, $1) n`, [count]);
  await sql.query(`create index on public.bare (due_at) where step < ${stepsOfRun}`);
  await sql.query(`vacuum analyze public.bare`);
  const begun = performance.now();
  await Promise.all(Array.from({ length: clients }, () => bareClient(system.environment.DATABASE_URL!, limit)));
  const seconds = (performance.now() - begun) / 1000;
  const { rows } = await sql.query<{ steps: string }>(`select sum(step) as steps from public.bare`);
  if (Number(rows[0]!.steps) !== count * stepsOfRun) throw new Error('not every bare round was done');
  await sql.query(`drop table public.bare`);
  return count / seconds;
}

/** Does rounds on a connection of its own until there is nothing to take. */
async function bareClient(connectionString: string, limit: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ id: number }>(
        `update public.bare b set due_at = clock_timestamp() + interval '60 seconds' where id in (
           select id from public.bare where step < ${stepsOfRun} and due_at <= now() order by due_at limit ${limit}
           for update skip locked) returning id`,
      );
      if (rows.length === 0) return;
      await client.query(`update public.bare set step = step + 1, due_at = clock_timestamp() where id = any($1)`, [
        rows.map(({ id }) => id),
      ]);
    }
  } finally {
    await client.end();
  }
}
