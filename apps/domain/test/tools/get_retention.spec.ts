import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization } from '../dead-letters.js';

describe('get_retention', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());

  const insertRun = (months: number, state: string) =>
    harness.dataSource('workflow').query(
      `insert into run (organization_id, run_id, workflow_id, version, subscriber_id, state, shard, started_at, finished_at)
       select $1, uuid_floor(at), $1, 1, $1, $3, 0, at, case when $3 = 'COMPLETED' then at end
       from (select now() - make_interval(months => $2) as at) old`,
      [uuidOf('org', tenant.organizationId), months, state],
    );

  it('returns the periods of the installation, the shortest ones, and what is deleted in the next night', async () => {
    await insertRun(20, 'COMPLETED');
    await insertRun(21, 'COMPLETED');
    await insertRun(22, 'WAITING');
    await insertRun(2, 'COMPLETED');
    const row = (data: string, installation: number, min: number, deletesNow = 0) => ({
      data,
      period: null,
      installation,
      min,
      deletesNow,
    });
    const own = [
      row('messages', 25, 3),
      row('onlineVersions', 13, 1),
      row('campaignActivity', 25, 3),
      row('subscriberEvents', 25, 1),
    ];
    expect(await harness.data('get_retention', {}, tenant)).toEqual({ retention: [...own, row('runs', 13, 1, 2)] });
    expect(await harness.data('get_retention', {}, otherTenant)).toEqual({ retention: [...own, row('runs', 13, 1)] });
  });

  it('returns null for data that the installation keeps without limit', async () => {
    await harness.dataSource('delivery').query(`update retention set keep = null where data = 'messages'`);
    const { retention } = await harness.data<{ retention: object[] }>('get_retention', {}, tenant);
    expect(retention[0]).toMatchObject({ data: 'messages', installation: null, deletesNow: 0 });
  });
});
