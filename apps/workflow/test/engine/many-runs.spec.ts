import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import type { Sql } from '#database';
import { RunRepository } from '../../src/engine/store/run.repository.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { waiting } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

const runs = 20_000;
const taken = 500;

interface Plan {
  'Actual Rows': number;
  Plans?: Plan[];
}
const rowsOf = ({ 'Actual Rows': rows, Plans = [] }: Plan): number => Math.max(rows, ...Plans.map(rowsOf));

describe('a workflow of many runs', () => {
  let fixture: WorkflowFixture;
  let id: string;
  beforeAll(async () => {
    fixture = await isolatedFixture();
    id = await fixture.live(waiting());
    await fixture.subscriber('many@example.com');
    await fixture.enrol(id, 'many@example.com');
    const sql = fixture.harness.dataSource('workflow');
    await sql.query(
      `insert into run select (jsonb_populate_record(r, jsonb_build_object('run_id', gen_random_uuid(), 'held_at', clock_timestamp(), 'next_action_at', null))).*
       from run r, generate_series(1, $2) where r.workflow_id = $1`,
      [uuidOf('wf', id), runs],
    );
    await sql.query('analyze run');
  });
  // Other files in this database would work on them.
  afterAll(() =>
    fixture.harness.dataSource('workflow').query('delete from run where workflow_id = $1', [uuidOf('wf', id)]),
  );

  /** The most rows that a part of the work's statement looks at. */
  const looked = async (work: (repository: RunRepository) => Promise<unknown>): Promise<number> => {
    const { manager } = fixture.harness.dataSource('workflow');
    let most = 0;
    const query = async (text: string, values: unknown[]): Promise<unknown> => {
      const [row]: [{ 'QUERY PLAN': { Plan: Plan }[] }] = await manager.query(
        `explain (analyze, format json) ${text}`,
        values,
      );
      most = Math.max(most, rowsOf(row['QUERY PLAN'][0]!.Plan));
      return await manager.query(text, values);
    };
    await work(new RunRepository({ query } as unknown as Sql));
    return most;
  };

  it('is archived and woken bit by bit, no bit of which looks at all of them', async () => {
    const { organizationId } = fixture.tenant;
    const ending = (repository: RunRepository) =>
      repository.lockOfWorkflow(organizationId, id, { limit: taken, held: 'skip' });
    expect(await looked(ending)).toBeLessThan(4 * taken);
    expect(await looked((repository) => repository.release(organizationId, id, taken))).toBeLessThan(4 * taken);
  });
});
