import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, makeGroup } from '../isolated-fixture.js';
import type { GroupData } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('list_workflow_groups', () => {
  it('lists by name with strategy and count, and finds by a part of the name', async () => {
    const group = await makeGroup(desk, 'Zebra', { conflictStrategy: 'RUN_FIRST_STEP' });
    await desk.setGroup((await desk.create()).id, group.id);
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

  it('lists up to 1,000, since it has no pages', async () => {
    expect(await desk.tidings.data('list_workflow_groups', { limit: 1_000 }, desk.theirs)).toMatchObject({ total: 0 });
    expect(await desk.refusal('list_workflow_groups', { limit: 1_001 })).toBe('PARAMETERS_INVALID');
  });
});
