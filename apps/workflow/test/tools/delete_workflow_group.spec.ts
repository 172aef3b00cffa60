import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, makeGroup, readGroup, stale } from '../isolated-fixture.js';
import type { GroupData } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('delete_workflow_group', () => {
  const enrolmentRequest = ({ id, name, updatedAt }: GroupData, change: object = {}) => ({
    groupId: id,
    expectedName: name,
    expectedUpdatedAt: updatedAt,
    ...change,
  });

  it('refuses an assigned group with WORKFLOW_GROUP_IN_USE, and unassigns its workflows on request', async () => {
    const group = await makeGroup(fixture, 'Busy');
    const { id } = await fixture.create('Member');
    await fixture.setGroup(id, group.id);
    expect(await fixture.refusal('delete_workflow_group', enrolmentRequest(group))).toBe('WORKFLOW_GROUP_IN_USE');
    const { name } = group;
    expect(
      await fixture.harness.describe('delete_workflow_group', enrolmentRequest(group), fixture.tenant),
    ).toMatchObject({
      error: {
        message: expect.stringMatching(`"${name}" has the workflow "Member" \\(${id}\\).* unassignWorkflows true`),
      },
    });
    const all = enrolmentRequest(group, { unassignWorkflows: true });
    expect(await fixture.harness.describe('delete_workflow_group', all, fixture.tenant)).toMatchObject({
      data: {
        message: 'The group "Busy" is permanently deleted. 1 workflow will be in no group, and otherwise as before.',
      },
    });
    expect(await fixture.harness.data('delete_workflow_group', all, fixture.tenant)).toEqual({ deleted: true });
    expect((await fixture.get(id)).groupId).toBeNull();
  });

  it('refuses another name with WORKFLOW_GROUP_NAME_DIFFERS, EXPECTED_UPDATED_AT_STALE and WORKFLOW_GROUP_NOT_FOUND', async () => {
    const group = await makeGroup(fixture, 'Careful');
    expect(await fixture.refusal('delete_workflow_group', enrolmentRequest(group, { expectedName: 'careful' }))).toBe(
      'WORKFLOW_GROUP_NAME_DIFFERS',
    );
    expect(await fixture.refusal('delete_workflow_group', enrolmentRequest(group, { expectedUpdatedAt: stale }))).toBe(
      'EXPECTED_UPDATED_AT_STALE',
    );
    const foreign = await makeGroup(fixture, 'Far', {}, fixture.otherTenant);
    expect(await fixture.refusal('delete_workflow_group', enrolmentRequest(foreign))).toBe('WORKFLOW_GROUP_NOT_FOUND');
    expect((await readGroup(fixture, group.id)).group.name).toBe('Careful');
  });
});
