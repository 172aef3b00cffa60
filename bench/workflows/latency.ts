import { setTimeout as sleep } from 'node:timers/promises';
import { subscriberTools, workflowRunTools } from '#contracts';
import { uuidOf, wireId } from '#database';
import { report } from '../report.js';
import { awaitSlowly, quantile } from './organization.js';
import type { Sizes, Organization } from './organization.js';

const tagged = 300;
/**
 * Fifteen tags a second, and beside each as many enrolments of the other organization: fifty a second, or the given
 * rate.
 */
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

/** The ways that the time goes, one after the other. */
const ways = ['published', 'heard', 'enrolled', 'done'] as const;
type Way = (typeof ways)[number];

/** How long each way took for each run, in seconds. */
async function waysOf(
  { sql }: Organization,
  organizationId: string,
  workflowId: string,
): Promise<Record<Way, number>[]> {
  const observed = await sql.query<{ subscriber: string; published: Date; seen: Date }>(
    `select e -> 'data' ->> 'subscriberId' as subscriber, o.published_at as published, i.seen_at as seen
     from subscriber.outbox o cross join jsonb_array_elements(o.events) e
     join workflow.inbox i on i.consumer = 'workflow' and i.outbox_id = o.outbox_id
     where o.organization_id = $1 and e ->> 'name' = 'tag.added' and (e -> 'data' ->> 'triggerWorkflows')::boolean`,
    [uuidOf('org', organizationId)],
  );
  const by = new Map(observed.rows.map((row) => [row.subscriber, row]));
  const runs = await sql.query<{ subscriber_id: string; added_at: Date; started_at: Date; finished_at: Date }>(
    `select r.subscriber_id, t.added_at, r.started_at, r.finished_at from workflow.run r
     join subscriber.subscriber_tag t on t.organization_id = r.organization_id and t.subscriber_id = r.subscriber_id
     where r.organization_id = $1 and r.workflow_id = $2 and r.state = 'COMPLETED'`,
    [uuidOf('org', organizationId), uuidOf('wf', workflowId)],
  );
  return runs.rows.map((run) => {
    const { published, seen } = by.get(wireId('sub', run.subscriber_id))!;
    const moments = [run.added_at, published, seen, run.started_at, run.finished_at].map((at) => at.getTime() / 1000);
    return Object.fromEntries(ways.map((way, n) => [way, moments[n + 1]! - moments[n]!])) as Record<Way, number>;
  });
}

/** From a tag's being added to the first step's being done, while another organization's enrolments keep the engine busy. */
export async function reaction(organization: Organization, { pace }: Sizes): Promise<void> {
  const beside = Math.max(1, Math.round(pace / tagsPerSecond));
  const busy = await organization.organization(beside * tagged);
  const watched = await organization.organization(tagged * 2);
  const busyId = await organization.workflow(busy.organizationId, load);
  const workflowId = await organization.workflow(watched.organizationId, reacting);
  const runs = organization.bus.client(workflowRunTools);
  // Those with an odd number have no tag yet.
  for (let n = 1; n < tagged * 2; n += 2) {
    const next = sleep(everyMs);
    const from = ((n - 1) / 2) * beside;
    const subscriberIds = Array.from({ length: beside }, (_, k) => wireId('sub', busy.people.uuidAt(from + k)));
    const enrol = { workflowId: busyId, subscriberIds };
    const enrolled = runs.add_subscribers_to_workflow(enrol, organization.caller(busy.organizationId));
    const person = { subscriber: `person${n}@example.com`, tags: ['half'], triggerWorkflows: true };
    await organization.bus
      .client(subscriberTools)
      .update_subscriber(person, organization.caller(watched.organizationId));
    await Promise.all([enrolled, next]);
  }
  const still = await organization.sql.query<{ n: string }>(
    `select count(*) as n from workflow.run where workflow_id = $1 and state in ('ACTIVE', 'WAITING')`,
    [uuidOf('wf', busyId)],
  );
  const key = [uuidOf('org', watched.organizationId), uuidOf('wf', workflowId)];
  const times = async () =>
    await organization.sql.query<{ seconds: number }>(
      `select extract(epoch from r.finished_at - t.added_at)::float8 as seconds from workflow.run r
       join subscriber.subscriber_tag t on t.organization_id = r.organization_id and t.subscriber_id = r.subscriber_id
       where r.organization_id = $1 and r.workflow_id = $2 and r.state = 'COMPLETED'`,
      key,
    );
  await awaitSlowly('every tag has started its run', async () => (await times()).rows.length >= tagged, 120_000);
  const seconds = (await times()).rows.map((row) => row.seconds);
  const taken = await waysOf(organization, watched.organizationId, workflowId);
  const shares = (name: string, some: readonly number[]) => ({
    name,
    p50: quantile(some, 0.5),
    p95: quantile(some, 0.95),
    most: Math.max(...some),
  });
  report(
    `workflows: tag.added to the first step's being done, ${tagged} tags beside ${beside * tagged} enrolments (${still.rows[0]!.n} of their runs open at the end)`,
    [
      ...ways.map((way) =>
        shares(
          `s until ${way}`,
          taken.map((one) => one[way]),
        ),
      ),
      shares('s, all in all', seconds),
    ],
    [{ name: 'p95, s', value: quantile(seconds, 0.95), bar: '<= 1' }],
  );
}
