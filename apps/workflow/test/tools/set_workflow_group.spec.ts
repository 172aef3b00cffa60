import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, makeGroup, stale } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('set_workflow_group', () => {
  it('puts a workflow in and takes it out, and leaves its graph alone', async () => {
    const group = await makeGroup(fixture, 'Home');
    const before = await fixture.create();
    await fixture.setGroup(before.id, group.id);
    expect(await fixture.get(before.id)).toMatchObject({ groupId: group.id, draft: before.draft, status: 'DRAFT' });
    await fixture.setGroup(before.id, null);
    expect((await fixture.get(before.id)).groupId).toBeNull();
  });

  it('refuses EXPECTED_UPDATED_AT_STALE, WORKFLOW_NOT_FOUND and WORKFLOW_GROUP_NOT_FOUND, other organizations’ too', async () => {
    const group = await makeGroup(fixture, 'Choosy');
    const { id: workflowId, updatedAt: expectedUpdatedAt } = await fixture.create();
    const input = { workflowId, expectedUpdatedAt, groupId: group.id };
    expect(await fixture.refusal('set_workflow_group', { ...input, expectedUpdatedAt: stale })).toBe(
      'EXPECTED_UPDATED_AT_STALE',
    );
    const theirGroup = await makeGroup(fixture, 'Theirs', {}, fixture.otherTenant);
    expect(await fixture.refusal('set_workflow_group', { ...input, groupId: theirGroup.id })).toBe(
      'WORKFLOW_GROUP_NOT_FOUND',
    );
    const foreign = await fixture.create('Foreign', fixture.otherTenant);
    expect(await fixture.refusal('set_workflow_group', { ...input, workflowId: foreign.id })).toBe(
      'WORKFLOW_NOT_FOUND',
    );
  });
});
