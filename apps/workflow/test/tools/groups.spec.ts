import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk } from '../desk.js';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk.close());

interface GroupData {
  id: string;
  name: string;
  conflictStrategy: string;
  workflowsCount: number;
  updatedAt: string;
}
const make = async (name: string, change: object = {}, tenant = desk.ours) =>
  (await desk.tidings.data<{ group: GroupData }>('create_workflow_group', { name, ...change }, tenant)).group;
const read = async (groupId: string) =>
  await desk.tidings.data<{ group: GroupData; workflows: { id: string }[] }>(
    'get_workflow_group',
    { groupId },
    desk.ours,
  );
const refusal = (tool: string, input: object, tenant = desk.ours) => desk.tidings.refusal(tool, input, tenant);
const stale = '2020-01-01T00:00:00.000Z';

/** Puts a workflow into a group or out of it. */
const assign = async (workflowId: string, groupId: string | null) => {
  const { updatedAt: expectedUpdatedAt } = await desk.get(workflowId);
  return await desk.tidings.data('set_workflow_group', { workflowId, expectedUpdatedAt, groupId }, desk.ours);
};

describe('create_workflow_group', () => {
  it('answers the group of that name and strategy, whatever its case', async () => {
    const first = await make('Onboarding');
    expect(first).toMatchObject({ name: 'Onboarding', conflictStrategy: 'CANCEL_EXISTING', workflowsCount: 0 });
    expect(await make(' ONBOARDING ')).toEqual(first);
    expect((await make('Onboarding', {}, desk.theirs)).id).not.toBe(first.id);
  });

  it('refuses another strategy under the name with WORKFLOW_GROUP_NAME_TAKEN', async () => {
    await make('Taken');
    const input = { name: 'taken', conflictStrategy: 'SKIP_NEW' };
    expect(await refusal('create_workflow_group', input)).toBe('WORKFLOW_GROUP_NAME_TAKEN');
  });

  it('makes one group of two calls at the same moment', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => make('At once')));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });
});

describe('list_workflow_groups', () => {
  it('lists by name with strategy and count, and finds by a part of the name', async () => {
    const group = await make('Zebra', { conflictStrategy: 'RUN_FIRST_STEP' });
    await assign((await desk.create()).id, group.id);
    const found = await desk.tidings.data<{ groups: GroupData[] }>('list_workflow_groups', { query: 'zEB' }, desk.ours);
    expect(found).toMatchObject({
      groups: [{ id: group.id, conflictStrategy: 'RUN_FIRST_STEP', workflowsCount: 1 }],
      total: 1,
    });
    expect(await desk.tidings.data('list_workflow_groups', { query: 'zebra' }, desk.theirs)).toEqual({
      groups: [],
      total: 0,
    });
  });
});

describe('get_workflow_group', () => {
  it('shows its workflows and their runs under way', async () => {
    const group = await make('With one');
    const { id } = await desk.create('Inside');
    await assign(id, group.id);
    expect(await read(group.id)).toMatchObject({
      group: { workflowsCount: 1 },
      workflows: [{ id, name: 'Inside', groupId: group.id }],
      activeRuns: [{ workflowId: id, count: 0 }],
    });
  });

  it('answers WORKFLOW_GROUP_NOT_FOUND for what is unknown or another organization’s', async () => {
    const foreign = await make('Foreign', {}, desk.theirs);
    for (const groupId of [foreign.id, newId('wfg'), 'nonsense'])
      expect(await refusal('get_workflow_group', { groupId })).toBe('WORKFLOW_GROUP_NOT_FOUND');
  });
});

describe('update_workflow_group', () => {
  const update = (input: object) => desk.tidings.data<{ group: GroupData }>('update_workflow_group', input, desk.ours);

  it('changes name and strategy, each with a fresh updatedAt', async () => {
    const { id: groupId, updatedAt } = await make('Before');
    const { group } = await update({ groupId, expectedUpdatedAt: updatedAt, name: 'After' });
    expect(group).toMatchObject({ name: 'After', conflictStrategy: 'CANCEL_EXISTING' });
    const again = await update({ groupId, expectedUpdatedAt: group.updatedAt, conflictStrategy: 'SKIP_NEW' });
    expect(again.group).toMatchObject({ name: 'After', conflictStrategy: 'SKIP_NEW' });
  });

  it('lets one of two simultaneous changes win, the other gets EXPECTED_UPDATED_AT_STALE', async () => {
    const { id: groupId, updatedAt: expectedUpdatedAt } = await make('Race');
    const tries = ['One', 'Two'].map((name) =>
      desk.tidings.call('update_workflow_group', { groupId, expectedUpdatedAt, name }, desk.ours),
    );
    const outcomes = await Promise.all(tries);
    expect(outcomes.map((outcome) => (outcome.ok ? 'OK' : outcome.error.reason)).sort()).toEqual([
      'EXPECTED_UPDATED_AT_STALE',
      'OK',
    ]);
  });

  it('refuses WORKFLOW_GROUP_NAME_TAKEN, NOTHING_TO_CHANGE and WORKFLOW_GROUP_NOT_FOUND', async () => {
    await make('Occupied');
    const { id: groupId, updatedAt: expectedUpdatedAt } = await make('Mover');
    const input = { groupId, expectedUpdatedAt };
    expect(await refusal('update_workflow_group', { ...input, name: 'occupied' })).toBe('WORKFLOW_GROUP_NAME_TAKEN');
    expect(await refusal('update_workflow_group', input)).toBe('NOTHING_TO_CHANGE');
    const foreign = await make('Elsewhere', {}, desk.theirs);
    expect(await refusal('update_workflow_group', { ...input, groupId: foreign.id, name: 'x' })).toBe(
      'WORKFLOW_GROUP_NOT_FOUND',
    );
  });
});

describe('set_workflow_group', () => {
  it('puts a workflow in and takes it out, and leaves its graph alone', async () => {
    const group = await make('Home');
    const before = await desk.create();
    await assign(before.id, group.id);
    expect(await desk.get(before.id)).toMatchObject({ groupId: group.id, draft: before.draft, status: 'DRAFT' });
    await assign(before.id, null);
    expect((await desk.get(before.id)).groupId).toBeNull();
  });

  it('refuses EXPECTED_UPDATED_AT_STALE, WORKFLOW_NOT_FOUND and WORKFLOW_GROUP_NOT_FOUND, other organizations’ too', async () => {
    const group = await make('Choosy');
    const { id: workflowId, updatedAt: expectedUpdatedAt } = await desk.create();
    const input = { workflowId, expectedUpdatedAt, groupId: group.id };
    expect(await refusal('set_workflow_group', { ...input, expectedUpdatedAt: stale })).toBe(
      'EXPECTED_UPDATED_AT_STALE',
    );
    const theirGroup = await make('Theirs', {}, desk.theirs);
    expect(await refusal('set_workflow_group', { ...input, groupId: theirGroup.id })).toBe('WORKFLOW_GROUP_NOT_FOUND');
    const foreign = await desk.create('Foreign', desk.theirs);
    expect(await refusal('set_workflow_group', { ...input, workflowId: foreign.id })).toBe('WORKFLOW_NOT_FOUND');
  });
});

describe('delete_workflow_group', () => {
  const wish = ({ id, name, updatedAt }: GroupData, change: object = {}) => ({
    ...{ groupId: id, expectedName: name, expectedUpdatedAt: updatedAt, ...change },
  });

  it('refuses an assigned group with WORKFLOW_GROUP_IN_USE, and frees its workflows when told to', async () => {
    const group = await make('Busy');
    const { id } = await desk.create('Member');
    await assign(id, group.id);
    expect(await refusal('delete_workflow_group', wish(group))).toBe('WORKFLOW_GROUP_IN_USE');
    const all = wish(group, { unassignWorkflows: true });
    expect(await desk.tidings.describe('delete_workflow_group', all, desk.ours)).toMatchObject({
      data: { message: 'The group "Busy" is deleted for good. 1 workflows leave it and stay as they are.' },
    });
    expect(await desk.tidings.data('delete_workflow_group', all, desk.ours)).toEqual({ deleted: true });
    expect((await desk.get(id)).groupId).toBeNull();
  });

  it('refuses another name with WORKFLOW_GROUP_NAME_DIFFERS, EXPECTED_UPDATED_AT_STALE and WORKFLOW_GROUP_NOT_FOUND', async () => {
    const group = await make('Careful');
    expect(await refusal('delete_workflow_group', wish(group, { expectedName: 'careful' }))).toBe(
      'WORKFLOW_GROUP_NAME_DIFFERS',
    );
    expect(await refusal('delete_workflow_group', wish(group, { expectedUpdatedAt: stale }))).toBe(
      'EXPECTED_UPDATED_AT_STALE',
    );
    const foreign = await make('Far', {}, desk.theirs);
    expect(await refusal('delete_workflow_group', wish(foreign))).toBe('WORKFLOW_GROUP_NOT_FOUND');
    expect((await read(group.id)).group.name).toBe('Careful');
  });
});
