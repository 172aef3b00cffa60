import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, makeGroup } from '../isolated-fixture.js';
import type { GroupData } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('update_workflow_group', () => {
  const update = (input: object) => desk.tidings.data<{ group: GroupData }>('update_workflow_group', input, desk.ours);

  it('changes name and strategy, each with a fresh updatedAt', async () => {
    const { id: groupId, updatedAt } = await makeGroup(desk, 'Before');
    const { group } = await update({ groupId, expectedUpdatedAt: updatedAt, name: 'After' });
    expect(group).toMatchObject({ name: 'After', conflictStrategy: 'CANCEL_EXISTING' });
    const again = await update({ groupId, expectedUpdatedAt: group.updatedAt, conflictStrategy: 'SKIP_NEW' });
    expect(again.group).toMatchObject({ name: 'After', conflictStrategy: 'SKIP_NEW' });
  });

  it('lets one of two simultaneous changes win, the other gets EXPECTED_UPDATED_AT_STALE', async () => {
    const { id: groupId, updatedAt: expectedUpdatedAt } = await makeGroup(desk, 'Race');
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
    await makeGroup(desk, 'Occupied');
    const { id: groupId, updatedAt: expectedUpdatedAt } = await makeGroup(desk, 'Mover');
    const input = { groupId, expectedUpdatedAt };
    expect(await desk.refusal('update_workflow_group', { ...input, name: 'occupied' })).toBe(
      'WORKFLOW_GROUP_NAME_TAKEN',
    );
    expect(await desk.refusal('update_workflow_group', input)).toBe('NOTHING_TO_CHANGE');
    const foreign = await makeGroup(desk, 'Elsewhere', {}, desk.theirs);
    expect(await desk.refusal('update_workflow_group', { ...input, groupId: foreign.id, name: 'x' })).toBe(
      'WORKFLOW_GROUP_NOT_FOUND',
    );
  });
});
