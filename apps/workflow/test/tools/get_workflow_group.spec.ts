import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, makeGroup, readGroup } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('get_workflow_group', () => {
  it('returns its workflows and their open runs', async () => {
    const group = await makeGroup(fixture, 'With one');
    const { id } = await fixture.create('Inside');
    await fixture.setGroup(id, group.id);
    expect(await readGroup(fixture, group.id)).toMatchObject({
      group: { workflowsCount: 1 },
      workflows: [{ id, name: 'Inside', groupId: group.id }],
      activeRuns: [{ workflowId: id, count: 0 }],
    });
  });

  it('returns WORKFLOW_GROUP_NOT_FOUND for unknown ids and ids of another organization', async () => {
    const foreign = await makeGroup(fixture, 'Foreign', {}, fixture.otherTenant);
    for (const groupId of [foreign.id, newId('wfg'), 'nonsense'])
      expect(await fixture.refusal('get_workflow_group', { groupId })).toBe('WORKFLOW_GROUP_NOT_FOUND');
  });
});
