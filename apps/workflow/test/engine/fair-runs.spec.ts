import { beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import type { Sql } from '#database';
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

const claims = {
  next_action_at: (sql: Sql) => new RunRepository(sql).claim({ perShard, leaseSeconds: 60 }),
  check_at: (sql: Sql) => new RunRepository(sql).claimChecks(perShard, 60),
};
type Column = keyof typeof claims;

/** How many runs of each organization a claim takes of those due in one shard; all is rolled back. */
async function claimed(column: Column, ...due: { count: number; secondsAgo: number }[]): Promise<number[]> {
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
    const runs: { organizationId: string }[] = await claims[column](sql);
    return workflows.map((one) => runs.filter(({ organizationId }) => organizationId === one.organizationId).length);
  });
}

describe.each(Object.keys(claims) as Column[])('a claim by %s', (column) => {
  it('takes runs of both organizations of a shard, although one has more older ones than a claim takes', async () => {
    expect(await claimed(column, { count: 3 * perShard, secondsAgo: 60 }, { count: 10, secondsAgo: 1 })).toEqual([
      100, 10,
    ]);
  });

  it('is shared equally between organizations that have many', async () => {
    const many = { count: 2 * perShard, secondsAgo: 10 };
    expect(await claimed(column, many, { ...many, secondsAgo: 5 })).toEqual([100, 100]);
  });

  it('is all for the only organization with due runs', async () => {
    expect(await claimed(column, { count: 2 * perShard, secondsAgo: 10 }, { count: 10, secondsAgo: -60 })).toEqual([
      perShard,
      0,
    ]);
  });

  it('takes all runs of both where there are fewer than a claim takes', async () => {
    expect(await claimed(column, { count: 150, secondsAgo: 10 }, { count: 49, secondsAgo: 5 })).toEqual([150, 49]);
  });
});
