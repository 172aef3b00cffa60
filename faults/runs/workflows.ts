import { serviceCaller } from '#bus';
import { workflowLifeTools, workflowRunTools, workflowTools } from '#contracts';
import { uuidOf } from '#database';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareCampaign } from './campaign.js';
import { breachesOf, compareEffects, settled } from '../check/effects.js';
import type { Effects, StruckResult } from '../check/effects.js';
import { inject } from '../inject/process-fault.js';
import type { StrikeTarget } from '../inject/process-fault.js';
import { retryUntilAnswered } from '../rig/retry-until-answered.js';
import { seeded } from '../rig/seeded-random.js';
import type { FaultRig } from '../rig/fault-rig.js';
import { withDatabase } from '../rig/system-database.js';

const wholeCourse: Course = {
  people: 10_000,
  // Mail is not what this run is about.
  mailRate: 1_000,
  strikes: [
    ['workflow', 0.1],
    ['nats', 0.35],
    ['postgres', 0.6],
  ],
};
const endMs = 600_000;
/** Events in flight when their consumer died are delivered again after 30 s. */
const settleMs = 120_000;

const steps = [
  { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
  { id: 'wait', type: 'WAIT', config: { duration: 2 } },
  { id: 'mail', type: 'EMAIL', config: { subject: 'Hello', contentType: 'MARKDOWN', content: 'Hello {{name}}' } },
  { id: 'tag', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['mailed'] } },
];
const course = ['start:STARTED', 'wait:WAITING', 'wait:DONE', 'mail:SENT', 'tag:DONE'];

export interface WorkflowsResult extends StruckResult {
  effects: number;
  inDoubt: number;
}

/** The number of subscribers in a run, the fault's target, and its time. */
export interface Course {
  people: number;
  /** Messages a second that the relay takes. */
  mailRate: number;
  /** Which share of the runs is over at each strike, about. */
  strikes: readonly (readonly [target: StrikeTarget, share: number])[];
}

/**
 * Enrols many subscribers in a workflow and kills, one after the other, the service, NATS and PostgreSQL during their
 * runs. Every run must be recorded once for each step, and every effect must have happened once.
 */
export async function runWorkflows(
  rig: FaultRig,
  seed: number,
  { people, mailRate, strikes }: Course = wholeCourse,
): Promise<WorkflowsResult> {
  const started = Date.now();
  const random = seeded(seed);
  const { system, sink } = rig;
  const usualRate = sink.rate;
  const from = (await sink.events()).length;
  const run = await prepareCampaign(rig.bus, `workflows-${seed}`, people);
  sink.rate = mailRate;
  const workflowId = await enrolAll(rig, run.organizationId);
  for (const [target, share] of strikes) {
    const enough = Math.floor(people * (share + 0.1 * random()));
    await ended(rig, workflowId, enough);
    await inject(target, { system, servers: rig.servers, downMs: 2_000 * random() });
  }
  const over = await ended(rig, workflowId, people);
  const recipients = new Set(run.recipients);
  const taken = async () => {
    const mails = new Map<string, number>();
    for (const { name, to } of (await sink.events()).slice(from))
      if (name === 'TAKEN' && recipients.has(to!)) mails.set(`${to} taken`, (mails.get(`${to} taken`) ?? 0) + 1);
    return mails;
  };
  const inDoubt = await listInDoubt(rig, run.organizationId, taken);
  sink.rate = usualRate;
  const made = madeOf(
    run.recipients.filter((email) => !inDoubt.has(email)),
    [...inDoubt],
  );
  const compare = async () => compareEffects(made, new Map([...(await readRuns(rig, workflowId)), ...(await taken())]));
  const { lost, doubled } = await settled(compare, settleMs);
  const violations = breachesOf([
    [over !== people, `${over} of ${people} runs are over`],
    [lost > 0, `${lost} effects lost`],
    [doubled > 0, `${doubled} effects doubled`],
  ]);
  return {
    kills: strikes.length,
    lost,
    doubled,
    inDoubt: inDoubt.size,
    effects: [...made.values()].reduce((sum, n) => sum + n, 0),
    seconds: (Date.now() - started) / 1000,
    breaches: violations,
  };
}

/** Creates a live workflow of three steps and enrols all subscribers. @returns its id */
async function enrolAll({ bus }: FaultRig, organizationId: string): Promise<string> {
  const caller = () => serviceCaller(organizationId, 'rig');
  const drafts = bus.client(workflowTools);
  const { workflow, workflowId } = await drafts.create_workflow({ name: 'Struck' }, caller());
  const edges = steps.slice(1).map(({ id }, n) => ({ source: steps[n]!.id, target: id }));
  const draft = { workflowId, expectedUpdatedAt: workflow.updatedAt, steps, edges };
  await drafts.configure_workflow_draft(draft, caller());
  await bus.client(workflowLifeTools).publish_workflow({ workflowId }, caller());
  await bus.client(workflowRunTools).add_subscribers_to_workflow({ workflowId }, caller());
  return workflowId;
}

/** Waits until `enough` runs have ended, or the time is over. @returns the number of ended runs */
async function ended({ system }: FaultRig, workflowId: string, enough: number): Promise<number> {
  const count = () =>
    withDatabase(system, async (client) => {
      const { rows } = await client.query<{ n: number }>(
        `select count(*)::int as n from workflow.run where workflow_id = $1 and state = 'COMPLETED'`,
        [uuidOf('wf', workflowId)],
      );
      return rows[0]!.n;
    });
  const end = Date.now() + endMs;
  for (;;) {
    const n = await retryUntilAnswered('runs', count, 60_000);
    if (n >= enough || Date.now() > end) return n;
    await pause(250);
  }
}

/** Waits until delivery has no running attempt. @returns the addresses whose message may or may not have been sent */
async function listInDoubt(
  { system }: FaultRig,
  organizationId: string,
  taken: () => Promise<Map<string, number>>,
): Promise<Set<string>> {
  const read = () =>
    withDatabase(system, async (client) => {
      const { rows } = await client.query<{ email: string; state: string }>(
        `select email, state from delivery.message where organization_id = $1 and kind = 'WORKFLOW'`,
        [uuidOf('org', organizationId)],
      );
      const doubtful = new Set(rows.filter(({ state }) => state === 'IN_DOUBT').map(({ email }) => email));
      const known = await taken();
      if (rows.some(({ email }) => !doubtful.has(email) && !known.has(`${email} taken`))) throw new Error('not yet');
      // A recipient who got the message is not in doubt here.
      return new Set([...doubtful].filter((email) => !known.has(`${email} taken`)));
    });
  return await retryUntilAnswered('mails', read, settleMs);
}

/** The effects expected of all runs. */
const madeOf = (sure: readonly string[], doubtful: readonly string[]): Effects =>
  new Map([
    ...[...sure, ...doubtful].flatMap((email) =>
      [...course, 'WORKFLOW_STARTED', 'WORKFLOW_COMPLETED', 'TAG_ADDED'].map((name): [string, number] => [
        `${email} ${name}`,
        1,
      ]),
    ),
    ...sure.map((email): [string, number] => [`${email} taken`, 1]),
  ]);

/** The lines of every run and the history of every person, in the same words. */
const readRuns = ({ system }: FaultRig, workflowId: string): Promise<Effects> =>
  withDatabase(system, async (client) => {
    const { rows } = await client.query<{ name: string; n: number }>(
      `with run as (select organization_id, run_id, subscriber_id, email from workflow.run r
         join subscriber.subscriber s using (organization_id, subscriber_id) where workflow_id = $1)
       select email || ' ' || h.step_id || ':' || h.outcome as name, count(*)::int as n
         from run join workflow.run_history h using (organization_id, run_id) group by 1
       union all select email || ' ' || e.type, count(*)::int
         from run join subscriber.subscriber_event e using (organization_id, subscriber_id)
         where e.type in ('WORKFLOW_STARTED', 'WORKFLOW_COMPLETED', 'TAG_ADDED') group by 1`,
      [uuidOf('wf', workflowId)],
    );
    return new Map(rows.map(({ name, n }) => [name, n]));
  });

/** The result as a line. */
export const workflowsLine = ({ kills, effects, lost, doubled, inDoubt, seconds }: WorkflowsResult): string =>
  `workflows: ${kills} kills (the service, NATS, PostgreSQL), ${effects} effects, lost ${lost}, doubled ${doubled}, mails in doubt ${inDoubt}, ${seconds.toFixed(0)} s`;
