import type pg from 'pg';
import { workflowRunTools } from '#contracts';
import { uuidOf } from '#database';
import { median, report } from '../report.js';
import { awaitSlowly } from './yard.js';
import type { Sizes, Yard } from './yard.js';

/** WAIT, EMAIL, ACTION. */
const stepsOfRun = 3;
/** As many rows as the engine takes of one queue. */
const claimed = 200;
const steps = [
  { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
  { id: 'wait', type: 'WAIT', config: { duration: 1 } },
  { id: 'mail', type: 'EMAIL', config: { subject: 'Hello', contentType: 'MARKDOWN', content: 'Hello {{name}}' } },
  { id: 'tag', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['half'] } },
];
/** Nothing here takes longer a run, even on a slow machine. */
const patienceMs = (size: number) => 60_000 + size * 10;

/** Enrolments of everybody through WAIT, EMAIL and ACTION, mail counted when delivery has accepted it. */
export async function through(yard: Yard, { size, runs }: Sizes): Promise<void> {
  await engineRun(yard, Math.min(size, 1_000));
  const [ours, bare] = [[] as number[], [] as number[]];
  for (let run = 0; run < runs; run++) {
    ours.push(size / (await engineRun(yard, size)));
    bare.push(size / (await bareRounds(yard.sql, size)));
    process.stderr.write(`· ${ours.at(-1)!.toFixed(0)}/s, bare ${bare.at(-1)!.toFixed(0)}/s\n`);
  }
  report(
    `workflows: ${size} enrolments through WAIT, EMAIL and ACTION, medians of ${runs}`,
    [
      { name: 'the engine', 'runs/s': median(ours) },
      { name: 'bare rounds', 'runs/s': median(bare) },
    ],
    [{ name: 'against bare rounds', value: median(ours) / median(bare), bar: '>= 0.4' }],
  );
}

/** @returns seconds from the call until every message was accepted and every run was over */
async function engineRun(yard: Yard, size: number): Promise<number> {
  const { organizationId } = await yard.organization(size);
  const workflowId = await yard.workflow(organizationId, steps);
  const begun = performance.now();
  await yard.bus.client(workflowRunTools).add_subscribers_to_workflow({ workflowId }, yard.caller(organizationId));
  const count = async (query: string, id: string | null) =>
    Number((await yard.sql.query<{ n: string }>(query, [id])).rows[0]!.n);
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
 * As many rounds as the steps of all runs have: some due rows are taken under a lease, then they are put to their next
 * step, each committed for good. @returns seconds
 */
async function bareRounds(sql: pg.Client, count: number): Promise<number> {
  await sql.query(
    `create table public.bare (id int primary key, due_at timestamptz not null, step int not null) with (fillfactor = 80)`,
  );
  await sql.query(`insert into public.bare select n, clock_timestamp(), 0 from generate_series(1, $1) n`, [count]);
  await sql.query(`create index on public.bare (due_at) where step < ${stepsOfRun}`);
  await sql.query(`vacuum analyze public.bare`);
  const begun = performance.now();
  for (let done = 0; done < count * stepsOfRun;) {
    const { rows } = await sql.query<{ id: number }>(
      `update public.bare b set due_at = clock_timestamp() + interval '60 seconds' where id in (
         select id from public.bare where step < ${stepsOfRun} and due_at <= clock_timestamp() order by due_at limit ${claimed}
         for update skip locked) returning id`,
    );
    await sql.query(`update public.bare set step = step + 1, due_at = clock_timestamp() where id = any($1)`, [
      rows.map(({ id }) => id),
    ]);
    done += rows.length;
  }
  const seconds = (performance.now() - begun) / 1000;
  await sql.query(`drop table public.bare`);
  return seconds;
}
