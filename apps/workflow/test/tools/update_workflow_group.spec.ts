import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, makeGroup } from '../isolated-fixture.js';
import type { GroupData } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('update_workflow_group', () => {
  const update = (input: object) =>
    fixture.harness.data<{ group: GroupData }>('update_workflow_group', input, fixture.tenant);

  it('changes name and strategy, each with a fresh updatedAt', async () => {
    const { id: groupId, updatedAt } = await makeGroup(fixture, 'Before');
    const { group } = await update({ groupId, expectedUpdatedAt: updatedAt, name: 'After' });
    expect(group).toMatchObject({ name: 'After', conflictStrategy: 'CANCEL_EXISTING' });
    const again = await update({ groupId, expectedUpdatedAt: group.updatedAt, conflictStrategy: 'SKIP_NEW' });
    expect(again.group).toMatchObject({ name: 'After', conflictStrategy: 'SKIP_NEW' });
  });

  it('admits one of two simultaneous changes, the other gets EXPECTED_UPDATED_AT_STALE', async () => {
    const { id: groupId, updatedAt: expectedUpdatedAt } = await makeGroup(fixture, 'Race');
    const tries = ['One', 'Two'].map((name) =>
      fixture.harness.call('update_workflow_group', { groupId, expectedUpdatedAt, name }, fixture.tenant),
    );
    const outcomes = await Promise.all(tries);
    expect(outcomes.map((outcome) => (outcome.ok ? 'OK' : outcome.error.reason)).sort()).toEqual([
      'EXPECTED_UPDATED_AT_STALE',
      'OK',
    ]);
  });

  it('refuses WORKFLOW_GROUP_NAME_TAKEN, NOTHING_TO_CHANGE and WORKFLOW_GROUP_NOT_FOUND', async () => {
    await makeGroup(fixture, 'Occupied');
    const { id: groupId, updatedAt: expectedUpdatedAt } = await makeGroup(fixture, 'Mover');
    const input = { groupId, expectedUpdatedAt };
    expect(await fixture.refusal('update_workflow_group', { ...input, name: 'occupied' })).toBe(
      'WORKFLOW_GROUP_NAME_TAKEN',
    );
    expect(await fixture.refusal('update_workflow_group', input)).toBe('NOTHING_TO_CHANGE');
    const foreign = await makeGroup(fixture, 'Elsewhere', {}, fixture.otherTenant);
    expect(await fixture.refusal('update_workflow_group', { ...input, groupId: foreign.id, name: 'x' })).toBe(
      'WORKFLOW_GROUP_NOT_FOUND',
    );
  });
});
