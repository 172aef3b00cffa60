import { setTimeout as sleep } from 'node:timers/promises';
import { subscriberTools, workflowRunTools } from '#contracts';
import { uuidOf, wireId } from '#database';
import { report } from '../report.js';
import { awaitSlowly, quantile } from './yard.js';
import type { Sizes, Yard } from './yard.js';

const tagged = 300;
/** Fifteen tags a second, and beside each as many enrolments of the other organization: fifty a second, or what is asked for. */
const tagsPerSecond = 15;
const everyMs = 1000 / tagsPerSecond;
const load = [
  { id: 'start', type: 'TRIGGER', config: { kind: 'MANUAL' } },
  { id: 'wait', type: 'WAIT', config: { duration: 1 } },
  { id: 'mail', type: 'EMAIL', config: { subject: 'Hello', contentType: 'MARKDOWN', content: 'Hello {{name}}' } },
  { id: 'tag', type: 'ACTION', config: { kind: 'ADD_TAGS', tags: ['half'] } },
];
const reacting = [
  { id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED', tags: ['half'] } },
  { id: 'first', type: 'ACTION', config: { kind: 'SET_FIELD', field: 'number', value: '1' } },
];

/** From a tag's being added to the first step's being done, while another organization's enrolments keep the engine busy. */
export async function reaction(yard: Yard, { pace }: Sizes): Promise<void> {
  const beside = Math.max(1, Math.round(pace / tagsPerSecond));
  const busy = await yard.organization(beside * tagged);
  const watched = await yard.organization(tagged * 2);
  const busyId = await yard.workflow(busy.organizationId, load);
  const workflowId = await yard.workflow(watched.organizationId, reacting);
  const runs = yard.bus.client(workflowRunTools);
  // Those with an odd number have no tag yet.
  for (let n = 1; n < tagged * 2; n += 2) {
    const next = sleep(everyMs);
    const from = ((n - 1) / 2) * beside;
    const subscriberIds = Array.from({ length: beside }, (_, k) => wireId('sub', busy.people.uuidAt(from + k)));
    const enrol = { workflowId: busyId, subscriberIds };
    const enrolled = runs.add_subscribers_to_workflow(enrol, yard.caller(busy.organizationId));
    const person = { subscriber: `person${n}@example.com`, tags: ['half'], triggerWorkflows: true };
    await yard.bus.client(subscriberTools).update_subscriber(person, yard.caller(watched.organizationId));
    await Promise.all([enrolled, next]);
  }
  const still = await yard.sql.query<{ n: string }>(
    `select count(*) as n from workflow.run where workflow_id = $1 and state in ('ACTIVE', 'WAITING')`,
    [uuidOf('wf', busyId)],
  );
  const key = [uuidOf('org', watched.organizationId), uuidOf('wf', workflowId)];
  const times = async () =>
    await yard.sql.query<{ seconds: number }>(
      `select extract(epoch from r.finished_at - t.added_at)::float8 as seconds from workflow.run r
       join subscriber.subscriber_tag t on t.organization_id = r.organization_id and t.subscriber_id = r.subscriber_id
       where r.organization_id = $1 and r.workflow_id = $2 and r.state = 'COMPLETED'`,
      key,
    );
  await awaitSlowly('every tag has started its run', async () => (await times()).rows.length >= tagged, 120_000);
  const seconds = (await times()).rows.map((row) => row.seconds);
  report(
    `workflows: tag.added to the first step's being done, ${tagged} tags beside ${beside * tagged} enrolments (${still.rows[0]!.n} of their runs open at the end)`,
    [{ name: 'seconds', p50: quantile(seconds, 0.5), p95: quantile(seconds, 0.95), most: Math.max(...seconds) }],
    [{ name: 'p95, s', value: quantile(seconds, 0.95), bar: '<= 1' }],
  );
}
