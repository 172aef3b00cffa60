import { afterAll, expect } from '@jest/globals';
import { Harness } from '../../../test/harness/harness.js';
import { WorkflowFixture, waiting } from './workflow-fixture.js';

/** The services, shared by all files that are loaded together. */
let harness: Promise<Harness> | null = null;
afterAll(async () => await (await harness)?.stop());

/** Two organizations that no other file uses. */
export async function isolatedFixture(): Promise<WorkflowFixture> {
  harness ??= Harness.start();
  return await WorkflowFixture.on(await harness);
}

/** The problems of a graph that a tool refuses, each with its place; none when it takes the graph. */
export async function issuesOf(fixture: WorkflowFixture, tool: string, input: object): Promise<string[]> {
  const outcome = await fixture.harness.call(tool, input, fixture.tenant);
  if (outcome.ok) return [];
  expect(outcome.error.reason).toBe('GRAPH_INVALID');
  return outcome.error.issues!.map(({ path, message }) => `${path.join('.')} ${message}`);
}

/** How workflows come into each state. */
export const inState = {
  DRAFT: async (fixture: WorkflowFixture) => {
    const { id } = await fixture.create();
    await fixture.configure(id, waiting());
    return id;
  },
  ACTIVE: (fixture: WorkflowFixture) => fixture.live(waiting()),
  PAUSED: async (fixture: WorkflowFixture) => {
    const id = await fixture.live(waiting());
    await fixture.status(id, 'PAUSED');
    return id;
  },
  ARCHIVED: async (fixture: WorkflowFixture) => {
    const id = await fixture.live(waiting());
    await fixture.status(id, 'ARCHIVED');
    return id;
  },
};

/** Adds a subscriber of the other tenant. */
export const otherTenant = async (fixture: WorkflowFixture): Promise<string> =>
  await fixture.subscriber('foreign@example.com', {}, fixture.otherTenant);

/** Returns a tool's refusals of no subscriber, another tenant's subscriber, and two subscribers at once. */
export async function refusalsOfWho(fixture: WorkflowFixture, tool: string, workflowId: string): Promise<string[]> {
  const [one] = [await fixture.subscriber('one@example.com'), await fixture.subscriber('two@example.com')];
  return [
    await fixture.refusal(tool, { workflowId }),
    await fixture.refusal(tool, { workflowId, subscriberId: await otherTenant(fixture) }),
    await fixture.refusal(tool, { workflowId, subscriberId: one, email: 'two@example.com' }),
  ];
}

export interface GroupData {
  id: string;
  name: string;
  conflictStrategy: string;
  workflowsCount: number;
  updatedAt: string;
}
/** A time at which nothing was changed. */
export const stale = '2020-01-01T00:00:00.000Z';

export async function makeGroup(
  { harness, tenant }: WorkflowFixture,
  name: string,
  change: object = {},
  by = tenant,
): Promise<GroupData> {
  return (await harness.data<{ group: GroupData }>('create_workflow_group', { name, ...change }, by)).group;
}

export const readGroup = async ({ harness, tenant }: WorkflowFixture, groupId: string) =>
  await harness.data<{ group: GroupData; workflows: { id: string }[] }>('get_workflow_group', { groupId }, tenant);
