import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { uuidOf } from '#database';
import { RunRepository } from '../../src/engine/store/run.repository.js';
import type { Run, Transition } from '../../src/rules/run.js';
import { rolledBack } from '../../../../test/harness/rolled-back.js';
import { isolatedFixture } from '../isolated-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { waiting } from '../workflow-fixture.js';

const due = 20_000;
const taken = 200;

/** What the table holds when the planner gets to know it, which is before all the due runs. */
const known = {
  'without statistics': 0,
  'with statistics of runs of other organizations, which have ended': 100_000,
};

describe.each(Object.entries(known))('due runs of one workflow, in a table %s', (_name, others) => {
  let fixture: WorkflowFixture;
  let workflowId: string;
  beforeAll(async () => {
    fixture = await isolatedFixture();
    workflowId = await fixture.live(waiting());
  });

  /** Hides the table `run` behind a new one with the same indexes, until the end of the transaction. */
  const makeRuns = async (sql: EntityManager) => {
    await sql.query(`create temporary table run (like run including all)`);
    await sql.query(
      `insert into run (organization_id, run_id, workflow_id, version, subscriber_id, state, shard, started_at, finished_at)
       select uuid_at(n / 10), uuid_at(n), uuid_at(n / 10), 1, uuid_at(n), 'COMPLETED', n % 64, now(), now() from generate_series(1, $1) n`.replaceAll(
        /uuid_at\(([^)]+)\)/g,
        'md5(($1)::text)::uuid',
      ),
      [others],
    );
    if (others > 0) await sql.query('analyze run');
    await sql.query(
      `insert into run (organization_id, run_id, workflow_id, version, subscriber_id, state, step_id, shard, next_action_at, check_at, started_at)
       select $1, gen_random_uuid(), $2, 1, gen_random_uuid(), 'WAITING', 'wait', 7, now(), now(), now() from generate_series(1, $3)`,
      [uuidOf('org', fixture.tenant.organizationId), uuidOf('wf', workflowId), due],
    );
  };
  const rowsRead = async (sql: EntityManager): Promise<number> => {
    const [row]: { read: string }[] = await sql.query(
      `select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relid = 'run'::regclass`,
    );
    return Number(row!.read);
  };
  /** A statement may read each run that it names some times, or a small table once, which is cheaper. */
  const readMax = (others === 0 ? due : 0) + 5 * taken;
  const reading = async <T>(sql: EntityManager, work: (runs: RunRepository) => Promise<T>): Promise<T> => {
    const before = await rowsRead(sql);
    const result = await work(new RunRepository(sql));
    expect((await rowsRead(sql)) - before).toBeLessThanOrEqual(readMax);
    return result;
  };
  const within = async (work: (sql: EntityManager) => Promise<void>) =>
    await rolledBack(fixture.harness.dataSource('workflow'), async (sql) => {
      await makeRuns(sql);
      await work(sql);
    });
  const limits = { perShard: taken, most: taken, after: null, leaseSeconds: 60 };
  const step = (run: Run): Transition => ({
    run,
    to: { ...run, state: 'WAITING', stepId: 'next', nextActionAt: new Date(), reason: null, look: false },
    visit: run.visit + 1,
    lines: [],
    counts: [],
  });

  it('are claimed, tried later and moved without reading the others for each of them', async () => {
    await within(async (sql) => {
      const runs = await reading(sql, (repository) => repository.claim(limits));
      expect(runs).toHaveLength(taken);
      await reading(sql, (repository) => repository.lockByIds(runs));
      await reading(sql, (repository) => repository.updateRescheduled(runs, 60));
      const retries = runs.map((run) => ({ run, retrySeconds: 60, reason: 'away' }));
      await reading(sql, (repository) => repository.updateRetry(retries));
      await reading(sql, (repository) => repository.updateCheckDue(runs.map((run) => ({ run, met: ['a'] }))));
      expect((await reading(sql, (repository) => repository.update(runs.map(step)))).size).toBe(taken);
    });
  });

  it('have their filters tested without reading the others for each of them', async () => {
    await within(async (sql) => {
      const runs = await reading(sql, (repository) => repository.claimChecks(limits));
      expect(runs).toHaveLength(taken);
      await reading(sql, (repository) => repository.updateChecked(runs.map((run) => ({ run, next: null }))));
    });
  });
});
