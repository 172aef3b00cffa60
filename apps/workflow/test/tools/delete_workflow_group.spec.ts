import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, makeGroup, readGroup, stale } from '../isolated-fixture.js';
import type { GroupData } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('delete_workflow_group', () => {
  const wish = ({ id, name, updatedAt }: GroupData, change: object = {}) => ({
    groupId: id,
    expectedName: name,
    expectedUpdatedAt: updatedAt,
    ...change,
  });

  it('refuses an assigned group with WORKFLOW_GROUP_IN_USE, and frees its workflows when told to', async () => {
    const group = await makeGroup(desk, 'Busy');
    const { id } = await desk.create('Member');
    await desk.setGroup(id, group.id);
    expect(await desk.refusal('delete_workflow_group', wish(group))).toBe('WORKFLOW_GROUP_IN_USE');
    const { name } = group;
    expect(await desk.tidings.describe('delete_workflow_group', wish(group), desk.ours)).toMatchObject({
      error: {
        message: expect.stringMatching(`"${name}" has the workflow "Member" \\(${id}\\).* unassignWorkflows true`),
      },
    });
    const all = wish(group, { unassignWorkflows: true });
    expect(await desk.tidings.describe('delete_workflow_group', all, desk.ours)).toMatchObject({
      data: {
        message: 'The group "Busy" is deleted for good. 1 workflow will be in no group, and otherwise as before.',
      },
    });
    expect(await desk.tidings.data('delete_workflow_group', all, desk.ours)).toEqual({ deleted: true });
    expect((await desk.get(id)).groupId).toBeNull();
  });

  it('refuses another name with WORKFLOW_GROUP_NAME_DIFFERS, EXPECTED_UPDATED_AT_STALE and WORKFLOW_GROUP_NOT_FOUND', async () => {
    const group = await makeGroup(desk, 'Careful');
    expect(await desk.refusal('delete_workflow_group', wish(group, { expectedName: 'careful' }))).toBe(
      'WORKFLOW_GROUP_NAME_DIFFERS',
    );
    expect(await desk.refusal('delete_workflow_group', wish(group, { expectedUpdatedAt: stale }))).toBe(
      'EXPECTED_UPDATED_AT_STALE',
    );
    const foreign = await makeGroup(desk, 'Far', {}, desk.theirs);
    expect(await desk.refusal('delete_workflow_group', wish(foreign))).toBe('WORKFLOW_GROUP_NOT_FOUND');
    expect((await readGroup(desk, group.id)).group.name).toBe('Careful');
  });
});
