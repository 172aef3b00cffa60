import { afterAll, expect } from '@jest/globals';
import { Harness } from '../../../test/harness/harness.js';
import { Desk, waiting } from './workflow-fixture.js';

/** The services, shared by all files that are loaded together. */
let tidings: Promise<Harness> | null = null;
afterAll(async () => await (await tidings)?.stop());

/** Two organizations that no other file knows of. */
export async function freshDesk(): Promise<Desk> {
  tidings ??= Harness.start();
  return await Desk.on(await tidings);
}

/** The problems of a graph that a tool refuses, each with its place; none when it takes the graph. */
export async function issuesOf(desk: Desk, tool: string, input: object): Promise<string[]> {
  const outcome = await desk.tidings.call(tool, input, desk.ours);
  if (outcome.ok) return [];
  expect(outcome.error.reason).toBe('GRAPH_INVALID');
  return outcome.error.issues!.map(({ path, message }) => `${path.join('.')} ${message}`);
}

/** How workflows come into each state. */
export const inState = {
  DRAFT: async (desk: Desk) => {
    const { id } = await desk.create();
    await desk.configure(id, waiting());
    return id;
  },
  ACTIVE: (desk: Desk) => desk.live(waiting()),
  PAUSED: async (desk: Desk) => {
    const id = await desk.live(waiting());
    await desk.status(id, 'PAUSED');
    return id;
  },
  ARCHIVED: async (desk: Desk) => {
    const id = await desk.live(waiting());
    await desk.status(id, 'ARCHIVED');
    return id;
  },
};

/** Somebody of the other organization. */
export const stranger = async (desk: Desk): Promise<string> =>
  await desk.subscriber('foreign@example.com', {}, desk.theirs);

/** Why a tool that names a subscriber refuses nobody, another organization's, and two people at once. */
export async function refusalsOfWho(desk: Desk, tool: string, workflowId: string): Promise<string[]> {
  const [one] = [await desk.subscriber('one@example.com'), await desk.subscriber('two@example.com')];
  return [
    await desk.refusal(tool, { workflowId }),
    await desk.refusal(tool, { workflowId, subscriberId: await stranger(desk) }),
    await desk.refusal(tool, { workflowId, subscriberId: one, email: 'two@example.com' }),
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
  { tidings, ours }: Desk,
  name: string,
  change: object = {},
  tenant = ours,
): Promise<GroupData> {
  return (await tidings.data<{ group: GroupData }>('create_workflow_group', { name, ...change }, tenant)).group;
}

export const readGroup = async ({ tidings, ours }: Desk, groupId: string) =>
  await tidings.data<{ group: GroupData; workflows: { id: string }[] }>('get_workflow_group', { groupId }, ours);
