import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, makeGroup, readGroup } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('get_workflow_group', () => {
  it('shows its workflows and their runs under way', async () => {
    const group = await makeGroup(desk, 'With one');
    const { id } = await desk.create('Inside');
    await desk.setGroup(id, group.id);
    expect(await readGroup(desk, group.id)).toMatchObject({
      group: { workflowsCount: 1 },
      workflows: [{ id, name: 'Inside', groupId: group.id }],
      activeRuns: [{ workflowId: id, count: 0 }],
    });
  });

  it('answers WORKFLOW_GROUP_NOT_FOUND for what is unknown or another organization’s', async () => {
    const foreign = await makeGroup(desk, 'Foreign', {}, desk.theirs);
    for (const groupId of [foreign.id, newId('wfg'), 'nonsense'])
      expect(await desk.refusal('get_workflow_group', { groupId })).toBe('WORKFLOW_GROUP_NOT_FOUND');
  });
});
