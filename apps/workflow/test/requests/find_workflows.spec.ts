import { describe, expect, it } from '@jest/globals';
import { workflowRequests } from '#contracts';
import { newId, newUuid, uuidOf, wireId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('what other services ask of workflows', () => {
  const [tenant, otherTenant] = [{ organizationId: newId('org') }, { organizationId: newId('org') }];
  const harness = useFixture(() => Harness.start());
  const ask = () => harness.client(workflowRequests);
  const insert = async (name: string, { status = 'DRAFT', live = {}, by = tenant } = {}): Promise<string> => {
    const [org, uuid] = [uuidOf('org', by.organizationId), newUuid()];
    const { manager } = harness.dataSource('workflow');
    await manager.query(
      `insert into workflow (organization_id, workflow_id, name, status, draft, settings, success_goals, published_version, updated_at)
       values ($1, $2, $3, $4, '{}', '{}', '[]', 2, now())`,
      [org, uuid, name, status],
    );
    await manager.query(`insert into workflow_version values ($1, $2, 2, $3, '{}', '[]', '{}', now())`, [
      org,
      uuid,
      live,
    ]);
    return wireId('wf', uuid);
  };

  it('find_workflows answers by id and by name in any case, and the newest', async () => {
    const [welcome, trip] = [await insert('Welcome'), await insert('Trip')];
    const foreign = await insert('Welcome', { by: otherTenant });
    const find = async (asked: { ids?: string[]; names?: string[]; newest?: number }) =>
      (await ask().find_workflows({ ids: [], names: [], ...asked }, harness.caller(tenant))).workflows;
    expect(await find({ names: [' WELCOME'] })).toEqual([{ id: welcome, name: 'Welcome' }]);
    expect(await find({ ids: [trip, foreign, 'nonsense'] })).toEqual([{ id: trip, name: 'Trip' }]);
    expect(await find({ newest: 1 })).toEqual([{ id: trip, name: 'Trip' }]);
    expect(await ask().get_workflow_totals({}, harness.caller(tenant))).toEqual({ workflows: 2 });
  });

  it('list_filter_users names active workflows whose live version names a record', async () => {
    const tagId = newId('tag');
    const live = { steps: [{ config: { filters: [{ type: 'TAG', tagIds: [tagId] }] } }] };
    const id = await insert('Live', { status: 'ACTIVE', live });
    await insert('Paused', { status: 'PAUSED', live });
    await insert('Foreign', { status: 'ACTIVE', live, by: otherTenant });
    const users = async (reference: string) =>
      (await ask().list_filter_users({ references: [reference] }, harness.caller(tenant))).users;
    expect(await users(`tag:${tagId}`)).toEqual([{ id, name: 'Live' }]);
    expect(await users(`tag:${newId('tag')}`)).toEqual([]);
  });
});
