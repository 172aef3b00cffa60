import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, makeGroup, stale } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('set_workflow_group', () => {
  it('puts a workflow in and takes it out, and leaves its graph alone', async () => {
    const group = await makeGroup(desk, 'Home');
    const before = await desk.create();
    await desk.setGroup(before.id, group.id);
    expect(await desk.get(before.id)).toMatchObject({ groupId: group.id, draft: before.draft, status: 'DRAFT' });
    await desk.setGroup(before.id, null);
    expect((await desk.get(before.id)).groupId).toBeNull();
  });

  it('refuses EXPECTED_UPDATED_AT_STALE, WORKFLOW_NOT_FOUND and WORKFLOW_GROUP_NOT_FOUND, other organizations’ too', async () => {
    const group = await makeGroup(desk, 'Choosy');
    const { id: workflowId, updatedAt: expectedUpdatedAt } = await desk.create();
    const input = { workflowId, expectedUpdatedAt, groupId: group.id };
    expect(await desk.refusal('set_workflow_group', { ...input, expectedUpdatedAt: stale })).toBe(
      'EXPECTED_UPDATED_AT_STALE',
    );
    const theirGroup = await makeGroup(desk, 'Theirs', {}, desk.theirs);
    expect(await desk.refusal('set_workflow_group', { ...input, groupId: theirGroup.id })).toBe(
      'WORKFLOW_GROUP_NOT_FOUND',
    );
    const foreign = await desk.create('Foreign', desk.theirs);
    expect(await desk.refusal('set_workflow_group', { ...input, workflowId: foreign.id })).toBe('WORKFLOW_NOT_FOUND');
  });
});
