import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, makeGroup } from '../isolated-fixture.js';
import type { GroupData } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('list_workflow_groups', () => {
  it('lists by name with strategy and count, and finds by a part of the name', async () => {
    const group = await makeGroup(fixture, 'Zebra', { conflictStrategy: 'RUN_FIRST_STEP' });
    await fixture.setGroup((await fixture.create()).id, group.id);
    const found = await fixture.harness.data<{ groups: GroupData[] }>(
      'list_workflow_groups',
      { query: 'zEB' },
      fixture.tenant,
    );
    expect(found).toMatchObject({
      groups: [{ id: group.id, conflictStrategy: 'RUN_FIRST_STEP', workflowsCount: 1 }],
      total: 1,
    });
    expect(await fixture.harness.data('list_workflow_groups', { query: 'zebra' }, fixture.otherTenant)).toEqual({
      groups: [],
      total: 0,
    });
  });

  it('lists up to 1,000, since it has no pages', async () => {
    expect(await fixture.harness.data('list_workflow_groups', { limit: 1_000 }, fixture.otherTenant)).toMatchObject({
      total: 0,
    });
    expect(await fixture.refusal('list_workflow_groups', { limit: 1_001 })).toBe('PARAMETERS_INVALID');
  });
});
