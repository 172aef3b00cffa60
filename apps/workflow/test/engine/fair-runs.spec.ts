import { beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import type { ClaimLimits } from '../../src/engine/store/run.repository.js';
import { RunRepository } from '../../src/engine/store/run.repository.js';
import { rolledBack } from '../../../../test/harness/rolled-back.js';
import { isolatedFixture } from '../isolated-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { waiting } from '../workflow-fixture.js';

const perShard = 200;
const shard = 7;
let fixture: WorkflowFixture;
let workflows: { organizationId: string; id: string }[];
beforeAll(async () => {
  fixture = await isolatedFixture();
  const { tenant, otherTenant } = fixture;
  workflows = [
    { organizationId: tenant.organizationId, id: await fixture.live(waiting(), 'Live', tenant) },
    { organizationId: otherTenant.organizationId, id: await fixture.live(waiting(), 'Live', otherTenant) },
  ];
});

const limits: ClaimLimits = { perShard, most: 10 * perShard, after: null, leaseSeconds: 60 };
const claims = {
  next_action_at: (sql: Sql, some: ClaimLimits) => new RunRepository(sql).claim(some),
  check_at: (sql: Sql, some: ClaimLimits) => new RunRepository(sql).claimChecks(some),
};
type Column = keyof typeof claims;

interface Due {
  count: number;
  secondsAgo: number;
}

/** How many runs of each organization a claim takes of those due in one shard; all is rolled back. */
async function claimed(column: Column, due: readonly Due[], limited: Partial<ClaimLimits> = {}): Promise<number[]> {
  return await rolledBack(fixture.harness.dataSource('workflow'), async (sql) => {
    // Those of other files in this database.
    await sql.query(`update run set ${column} = null`);
    for (const [n, { count, secondsAgo }] of due.entries()) {
      const { organizationId, id } = workflows[n]!;
      await sql.query(
        `insert into run (organization_id, run_id, workflow_id, version, subscriber_id, state, step_id, shard, ${column}, started_at)
         select $1, gen_random_uuid(), $2, 1, gen_random_uuid(), 'WAITING', 'wait', $3, now() - make_interval(secs => $4), now()
         from generate_series(1, $5)`,
        [uuidOf('org', organizationId), uuidOf('wf', id), shard, secondsAgo, count],
      );
    }
    const runs: { organizationId: string }[] = await claims[column](sql, Object.assign({}, limits, limited));
    return workflows.map((one) => runs.filter(({ organizationId }) => organizationId === one.organizationId).length);
  });
}

describe.each(Object.keys(claims) as Column[])('a claim by %s', (column) => {
  it('takes runs of both organizations of a shard, although one has more older ones than a claim takes', async () => {
    expect(
      await claimed(column, [
        { count: 3 * perShard, secondsAgo: 60 },
        { count: 10, secondsAgo: 1 },
      ]),
    ).toEqual([100, 10]);
  });

  it('is shared equally between organizations that have many', async () => {
    const many = { count: 2 * perShard, secondsAgo: 10 };
    expect(await claimed(column, [many, { count: 2 * perShard, secondsAgo: 5 }])).toEqual([100, 100]);
  });

  it('is all for the only organization with due runs', async () => {
    expect(
      await claimed(column, [
        { count: 2 * perShard, secondsAgo: 10 },
        { count: 10, secondsAgo: -60 },
      ]),
    ).toEqual([perShard, 0]);
  });

  it('takes all runs of both where there are fewer than a claim takes', async () => {
    expect(
      await claimed(column, [
        { count: 150, secondsAgo: 10 },
        { count: 49, secondsAgo: 5 },
      ]),
    ).toEqual([150, 49]);
  });

  it('serves organizations in turn where it cannot take a share of each', async () => {
    const many = { count: 2 * perShard, secondsAgo: 10 };
    const [first, second] = workflows.map(({ organizationId }) => organizationId).toSorted() as [string, string];
    const counts = (organizationId: string) =>
      workflows.map((one) => (one.organizationId === organizationId ? 100 : 0));
    expect(await claimed(column, [many, many], { most: 100 })).toEqual(counts(first));
    expect(await claimed(column, [many, many], { most: 100, after: first })).toEqual(counts(second));
    expect(await claimed(column, [many, many], { most: 100, after: second })).toEqual(counts(first));
  });
});
