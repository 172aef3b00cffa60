import { parseArgs } from 'node:util';
import { workflowSimulationTools } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import { awaitSlowly, Organization } from '../workflows/organization.js';
import { report } from '../report.js';

const { values } = parseArgs({
  options: {
    /** Subscribers, each of which starts a run. */
    size: { type: 'string', default: '1000000' },
    /** Added to the environment of the services, for profilers: NAME=value. */
    environment: { type: 'string', multiple: true, default: [] },
  },
});
const size = Number(values.size);
/** Days over which the events are spread. */
const days = 25;
const patienceMs = 60_000 + size;

/** A condition, an email, a split and three kinds of waits: what a usual workflow has. */
const stepsOf = (tagId: string) => [
  { id: 'start', type: 'TRIGGER', config: { kind: 'TAG_ADDED', tags: [tagId] } },
  { id: 'pause', type: 'WAIT', config: { amount: 1, unit: 'DAYS' } },
  { id: 'mail', type: 'EMAIL', config: { subject: 'Hello', contentType: 'MARKDOWN', content: 'Hello {{name}}' } },
  { id: 'hour', type: 'WAIT', config: { timeOfDay: '09:00', weekdays: [1, 2, 3, 4, 5] } },
  {
    id: 'number',
    type: 'CONDITION',
    config: {
      filters: [{ type: 'FIELD', fieldName: 'number', valueType: 'NUMBER', operator: 'LESS_THAN', value: 70 }],
    },
  },
  {
    id: 'split',
    type: 'SPLIT',
    config: {
      branches: [
        { name: 'a', weight: 1 },
        { name: 'b', weight: 2 },
      ],
    },
  },
  { id: 'left', type: 'WAIT_UNTIL', config: { event: { kind: 'TAG_REMOVED', tags: [tagId] }, timeout: 7 * 86_400 } },
  { id: 'done', type: 'EXIT', config: {} },
];
const edges = [
  ['start', 'pause'],
  ['pause', 'mail'],
  ['mail', 'hour'],
  ['hour', 'number'],
  ['number', 'split', 'TRUE'],
  ['number', 'done', 'FALSE'],
  ['split', 'left', 'a'],
  ['split', 'done', 'b'],
  ['left', 'done', 'MATCHED'],
  ['left', 'done', 'TIMEOUT'],
].map(([source, target, branch]) => ({ source: source!, target: target!, ...(branch !== undefined && { branch }) }));

const organization = await Organization.open(
  Object.fromEntries(values.environment.map((pair) => pair.split('=') as [string, string])),
);
try {
  const { organizationId, people } = await organization.organization(size);
  const org = uuidOf('org', organizationId);
  const tagId = wireId('tag', people.tagUuid);
  // Every subscriber gets the tag once, and every fourth loses it two days later.
  await organization.sql.query(
    `insert into subscriber.subscriber_event (created_at, organization_id, event_id, subscriber_id, type, data)
     select date_trunc('milliseconds', now() - make_interval(secs => $4 * 86400 * (1 - n::float8 / $3) + e.later * 86400)), $1,
       ('${newUuid().slice(0, 8)}-0000-7000-8000-' || lpad(to_hex(n * 2 + e.nth), 12, '0'))::uuid, subscriber_id, e.type, jsonb_build_object('tagId', $2::text, 'tagName', 'half')
     from (select subscriber_id, row_number() over (order by subscriber_id) as n from subscriber.subscriber where organization_id = $1) s,
       (values (0, 'TAG_ADDED', 0), (1, 'TAG_REMOVED', -2)) e(nth, type, later)
     where e.nth = 0 or n % 4 = 0`,
    [org, tagId, size, days],
  );
  await organization.sql.query(`vacuum analyze subscriber.subscriber_event`);
  const workflowId = await organization.workflow(organizationId, stepsOf(tagId), edges);
  const simulations = organization.bus.client(workflowSimulationTools);
  const before = await organization.spent();
  const begun = performance.now();
  const { simulationId } = await simulations.simulate_workflow(
    { workflowId, version: 1 },
    organization.caller(organizationId),
  );
  const get = async () =>
    (await simulations.get_workflow_simulation({ simulationId }, organization.caller(organizationId))).simulation;
  await awaitSlowly('the simulation is over', async () => (await get()).status !== 'RUNNING', patienceMs);
  const seconds = (performance.now() - begun) / 1000;
  const after = await organization.spent();
  const { status, failure, result } = await get();
  if (status !== 'COMPLETED' || result.entered !== size)
    throw new Error(`the simulation is ${status}, ${result.entered} of ${size} entered: ${failure ?? ''}`);
  const spent = [...after].map(([name, used]) => [name, used - (before.get(name) ?? 0)] as const);
  report(
    `simulation: ${size} subscribers who all enter a workflow of ${stepsOf('').length} steps`,
    [
      { name: 'seconds', total: seconds, 'subscribers/s': size / seconds },
      { name: 'processor time, s', ...Object.fromEntries(spent) },
    ],
    [{ name: 'seconds for a million subscribers', value: (seconds / size) * 1_000_000, bar: '<= 60' }],
  );
} finally {
  await organization.close();
}
