import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, makeGroup } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('create_workflow_group', () => {
  it('answers the group of that name and strategy, whatever its case', async () => {
    const first = await makeGroup(desk, 'Onboarding');
    expect(first).toMatchObject({ name: 'Onboarding', conflictStrategy: 'CANCEL_EXISTING', workflowsCount: 0 });
    expect(await makeGroup(desk, ' ONBOARDING ')).toEqual(first);
    expect((await makeGroup(desk, 'Onboarding', {}, desk.theirs)).id).not.toBe(first.id);
  });

  it('refuses another strategy under the name with WORKFLOW_GROUP_NAME_TAKEN', async () => {
    await makeGroup(desk, 'Taken');
    const input = { name: 'taken', conflictStrategy: 'SKIP_NEW' };
    expect(await desk.refusal('create_workflow_group', input)).toBe('WORKFLOW_GROUP_NAME_TAKEN');
  });

  it('keeps no control characters of a name, as no workflow does', async () => {
    const { id, name, updatedAt } = await makeGroup(desk, 'Con\u0000trol\n');
    expect(name).toBe('Con trol');
    const renamed = { groupId: id, expectedUpdatedAt: updatedAt, name: 'Re\u0000named' };
    expect(await desk.tidings.data('update_workflow_group', renamed, desk.ours)).toMatchObject({
      group: { name: 'Re named' },
    });
  });

  it('makes one group of two calls at the same moment', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => makeGroup(desk, 'At once')));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });
});
