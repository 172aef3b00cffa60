import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { uuidOf } from '#database';
import { EnrolmentRepository } from '../../src/engine/store/enrolment.repository.js';
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

  const tables = ['run', 'enrolled_once', 'start_request'];
  const insertRuns = (sql: EntityManager, what: string, ...values: unknown[]) =>
    sql.query(
      `insert into run (organization_id, run_id, workflow_id, subscriber_id, version, state, step_id, shard, next_action_at, check_at, started_at)
       select ${what}, 1, 'WAITING', 'wait', 7, now(), now(), now() from generate_series(1, $1) n`,
      values,
    );
  /** Runs were enrolled once, by requests. */
  const insertEnrolments = async (sql: EntityManager) => {
    const columns = 'organization_id, workflow_id, subscriber_id';
    const unfinished = 'from run where finished_at is null';
    await sql.query(`insert into enrolled_once select ${columns} ${unfinished}`);
    await sql.query(
      `insert into start_request (${columns}, any_status, cause) select ${columns}, false, 'event' ${unfinished}`,
    );
  };
  /** Hides tables behind new ones with the same indexes, until the end of the transaction. */
  const makeRuns = async (sql: EntityManager) => {
    for (const table of tables) await sql.query(`create temporary table ${table} (like ${table} including all)`);
    const ofTen = `md5((n / 10)::text)::uuid`;
    await insertRuns(sql, `${ofTen}, gen_random_uuid(), ${ofTen}, gen_random_uuid()`, others);
    await insertEnrolments(sql);
    await sql.query(`update run set state = 'COMPLETED', next_action_at = null, check_at = null, finished_at = now()`);
    await sql.query('delete from start_request');
    if (others > 0) await sql.query(`analyze ${tables.join(', ')}`);
    const ids = [uuidOf('org', fixture.tenant.organizationId), uuidOf('wf', workflowId)];
    await insertRuns(sql, '$2::uuid, gen_random_uuid(), $3::uuid, gen_random_uuid()', due, ...ids);
    await insertEnrolments(sql);
  };
  const rowsRead = async (sql: EntityManager): Promise<number> => {
    const [row]: { read: string }[] = await sql.query(
      `select sum(seq_tup_read + idx_tup_fetch) as read from pg_stat_xact_user_tables
       where relid = any($1::regclass[])`,
      [tables],
    );
    return Number(row!.read);
  };
  /** A statement may read each run that it names some times, or a small table once, which is cheaper. */
  const readMax = (others === 0 ? due : 0) + 5 * taken;
  const reading = async <T>(
    sql: EntityManager,
    work: (runs: RunRepository, enrolments: EnrolmentRepository) => Promise<T>,
  ): Promise<T> => {
    const before = await rowsRead(sql);
    const result = await work(new RunRepository(sql), new EnrolmentRepository(sql));
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

  it('are found by their subscribers without reading the others for each of them', async () => {
    await within(async (sql) => {
      const { organizationId } = fixture.tenant;
      const runs = await new RunRepository(sql).claim(limits);
      const subscriberIds = runs.map((run) => run.subscriberId);
      const organizationIds = runs.map((run) => run.organizationId);
      const open = await reading(sql, (repository) => repository.lockOpen(organizationIds, subscriberIds));
      expect(open).toHaveLength(taken);
      const first = await reading(sql, (repository) =>
        repository.listOpen(organizationId, subscriberIds[0]!, workflowId),
      );
      expect(first.map(({ id }) => id)).toEqual([runs[0]!.id]);
      await reading(sql, (_runs, enrolments) => enrolments.countStarts(organizationId, runs));
      await reading(sql, (_runs, enrolments) => enrolments.listEnrolled(organizationId, runs));
    });
  });

  it('are requested by events, whose requests are claimed without reading the others for each of them', async () => {
    await within(async (sql) => {
      const requests = await reading(sql, (_runs, enrolments) => enrolments.claimRequests(taken, 30));
      expect(requests).toHaveLength(taken);
      await reading(sql, (_runs, enrolments) => enrolments.deleteAlike(requests));
      await reading(sql, (_runs, enrolments) => enrolments.deleteRequests(requests.map(({ seq }) => seq)));
    });
  });

  it('are held, and archived or released in parts without reading all of them for each part', async () => {
    await within(async (sql) => {
      const { organizationId } = fixture.tenant;
      await sql.query(`update run set held_at = next_action_at, next_action_at = null where finished_at is null`);
      const part = { limit: taken, held: 'skip' } as const;
      const ending = await reading(sql, (runs) => runs.lockOfWorkflow(organizationId, workflowId, part));
      expect(ending).toHaveLength(taken);
      expect(await reading(sql, (runs) => runs.release(organizationId, workflowId, taken))).toBe(taken);
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
