import { domainRequests } from '#contracts';
import type { Filter, SubscriberEventType } from '#contracts';
import { newUuid, uuidOf, wireId } from '#database';
import type { Harness, Tenant } from '../../../../test/harness/harness.js';
import type { World } from './evaluate.js';
import { campaignNames, holdEventsInRows, insertPopulation, randomPerson, workflowNames } from './population.js';
import type { Random } from './random.js';
import { randomLeaf, rows } from './random-filters.js';
import type { Ground } from './random-filters.js';

/** An organization of its own with subscribers and all records that filters can name. */
export interface FilterFixture extends Tenant {
  ground: Ground;
  world: World;
}

const zones = ['America/St_Johns', 'Europe/Paris', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/New_York', 'UTC'];

/** Creates an organization with random subscribers, campaigns, workflows and segments, some of them nested. */
export async function populate(harness: Harness, random: Random, peopleCount: number): Promise<FilterFixture> {
  const domain = harness.client(domainRequests);
  const nobody = harness.caller({ organizationId: '' });
  const { organization } = await domain.create_organization({ name: 'Filters' }, nobody);
  const tenant = { organizationId: organization.id };
  const zone = random.pick(zones);
  await domain.set_organization({ ...tenant, timezone: zone }, nobody);
  const now = Math.floor(Date.now());
  const ids = new Map<string, string>();
  for (const name of campaignNames) {
    const made = await harness.data<{ campaignId: string }>('create_campaign', { name, subject: 'Hello' }, tenant);
    ids.set(`campaign ${name}`, made.campaignId);
  }
  for (const name of workflowNames) ids.set(`workflow ${name}`, await insertWorkflow(harness, tenant, name));
  const eventTypes = rows.filter(({ type }) => type === 'EVENT').map(({ field }) => field as SubscriberEventType);
  const people = Array.from({ length: peopleCount }, () => randomPerson(random, now, eventTypes));
  holdEventsInRows(people);
  const { manager } = harness.dataSource('subscriber');
  const { tags, fields } = await insertPopulation(manager, tenant.organizationId, { people, ids });
  for (const [name, id] of tags) ids.set(`tag ${name}`, id);
  for (const [name, id] of fields) ids.set(`field ${name}`, id);
  const segments: Record<string, Filter[]> = {};
  const ground = () => ({ people, segments: Object.keys(segments), ids, now });
  for (const name of ['Inner', 'Outer', 'Around']) {
    segments[name] = segmentFilters(random, ground());
    const { segmentId } = await harness.data<{ segmentId: string }>(
      'create_segment',
      { name, filters: segments[name] },
      tenant,
    );
    ids.set(`segment ${name}`, segmentId);
  }
  return { ...tenant, ground: ground(), world: { now, zone, segments, ids } };
}

/** Either of some conditions, and what the segments so far say of it: each includes or excludes all before it. */
function segmentFilters(random: Random, ground: Ground): Filter[] {
  const plain = rows.filter(({ type }) => type !== 'SEGMENT');
  const leaves = Array.from({ length: 3 }, () => randomLeaf(random.pick(plain), random, ground));
  const others = ground.segments.map((segmentName) => ({
    type: 'SEGMENT',
    operator: random.pick(['INCLUDE', 'EXCLUDE']),
    segmentName,
  }));
  return [{ type: 'GROUP', match: 'ANY', filters: [...leaves, ...others] }];
}

async function insertWorkflow(harness: Harness, { organizationId }: Tenant, name: string): Promise<string> {
  const uuid = newUuid();
  await harness.dataSource('workflow').query(
    `insert into workflow (organization_id, workflow_id, name, status, draft, settings, success_goals, updated_at)
       values ($1, $2, $3, 'DRAFT', '{}', '{}', '[]', now())`,
    [uuidOf('org', organizationId), uuid, name],
  );
  return wireId('wf', uuid);
}
