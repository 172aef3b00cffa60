import { beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, makeGroup } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('create_workflow_group', () => {
  it('returns the group of that name and strategy, in any case', async () => {
    const first = await makeGroup(fixture, 'Onboarding');
    expect(first).toMatchObject({ name: 'Onboarding', conflictStrategy: 'CANCEL_EXISTING', workflowsCount: 0 });
    expect(await makeGroup(fixture, ' ONBOARDING ')).toEqual(first);
    expect((await makeGroup(fixture, 'Onboarding', {}, fixture.otherTenant)).id).not.toBe(first.id);
  });

  it('refuses another strategy under the name with WORKFLOW_GROUP_NAME_TAKEN', async () => {
    await makeGroup(fixture, 'Taken');
    const input = { name: 'taken', conflictStrategy: 'SKIP_NEW' };
    expect(await fixture.refusal('create_workflow_group', input)).toBe('WORKFLOW_GROUP_NAME_TAKEN');
  });

  it('keeps no control characters of a name, as no workflow does', async () => {
    const { id, name, updatedAt } = await makeGroup(fixture, 'Con\u0000trol\n');
    expect(name).toBe('Con trol');
    const renamed = { groupId: id, expectedUpdatedAt: updatedAt, name: 'Re\u0000named' };
    expect(await fixture.harness.data('update_workflow_group', renamed, fixture.tenant)).toMatchObject({
      group: { name: 'Re named' },
    });
  });

  it('makes one group of two calls at the same moment', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => makeGroup(fixture, 'At once')));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });
});
