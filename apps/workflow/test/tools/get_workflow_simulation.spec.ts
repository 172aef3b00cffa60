import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Data, workflowSimulationTools } from '#contracts';
import { newId, uuidOf } from '#database';
import { createLogger } from '#observability';
import { CallContexts } from '#service-host';
import { testLogLevel } from '#testing';
import { drain } from '../../src/engine/loop/work-item.js';
import { SimulationWorker } from '../../src/engine/simulation/simulation.worker.js';
import { SimulationRepository } from '../../src/engine/store/simulation.repository.js';
import { day, graph, mail, onTag, step } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

type Shown = Data<(typeof workflowSimulationTools)['calls']['get_workflow_simulation']>['simulation'];

let fixture: WorkflowFixture;
let workflowId: string;
let simulationId: string;
const people = 30;
const start = async (input: object = {}) =>
  (await fixture.harness.data<{ simulationId: string }>('simulate_workflow', { workflowId, ...input }, fixture.tenant))
    .simulationId;
const shown = async (input: object = { simulationId }): Promise<Shown> =>
  (await fixture.harness.data<{ simulation: Shown }>('get_workflow_simulation', input, fixture.tenant)).simulation;

beforeAll(async () => {
  fixture = await isolatedFixture();
  await fixture.tags('start');
  for (let n = 0; n < people; n++) await fixture.subscriber(`person${n}@example.com`, { tags: ['start'] });
  ({ id: workflowId } = await fixture.create());
  const branches = [
    { name: 'a', weight: 1 },
    { name: 'b', weight: 1 },
  ];
  await fixture.configure(workflowId, {
    ...graph(
      [onTag('start'), step('split', 'SPLIT', { branches }), mail('hello'), day('pause')],
      'start>split',
      'split>hello:a',
      'split>pause:b',
    ),
  });
  simulationId = await start();
  await fixture.run();
});

describe('get_workflow_simulation', () => {
  it('explains twenty examples, with one of each path first', async () => {
    const { examples, entered } = (await shown()).result;
    expect(entered).toBe(people);
    expect(examples).toHaveLength(20);
    const paths = examples.map(({ path }) => path.map(({ stepId, outcome }) => `${stepId}:${outcome}`).join(' '));
    expect(new Set(paths.slice(0, 2))).toEqual(
      new Set(['start:STARTED split:a hello:SENT', 'start:STARTED split:b pause:WAITING']),
    );
    const mailed = examples[paths.indexOf('start:STARTED split:a hello:SENT')]!;
    expect(mailed).toMatchObject({ status: 'COMPLETED', startedBy: 'TAG_ADDED', nextActionAt: null, linesLeftOut: 0 });
    expect(mailed.email).toMatch(/^person\d+@example.com$/);
    expect(mailed.path.map(({ why }) => why)).toEqual([
      expect.stringMatching(/^The event TAG_ADDED at \d{4}-.* UTC started the run\.$/),
      'The split chose the branch "a" for this subscriber.',
      'The email would have been sent.',
    ]);
    const waiting = examples[paths.indexOf('start:STARTED split:b pause:WAITING')]!;
    expect(waiting.status).toBe('WAITING');
    expect(Date.parse(waiting.nextActionAt!)).toBeGreaterThan(Date.now());
  });

  it('says what it assumes, by code and in a sentence', async () => {
    const { assumptions } = (await shown()).result;
    expect(assumptions.map(({ code }) => code)).toEqual([
      ...[
        'PROFILES_NOW',
        'STATUS_THEN',
        'ENROLLED_BEFORE',
        'MAIL_UNANSWERED',
        'STARTS_NOT_RECORDED',
        'DELETED_LEFT_OUT',
      ],
    ]);
    for (const { message } of assumptions) expect(message).toMatch(/^[A-Z].*\.$/);
  });

  it('comes to the same result in other pages, and from where a killed process left it', async () => {
    const { result, from, to } = await shown();
    const again = await start({ from, to });
    const sql = fixture.harness.dataSource('workflow');
    const contexts = new CallContexts('workflow', sql, () => undefined);
    const parts = { contexts, bus: fixture.harness.bus, log: createLogger('workflow', testLogLevel) };
    const worker = () => new SimulationWorker(parts, { pageSize: 7, partMs: 0 });
    for (let part = 0; part < 2; part++) await drain(() => worker().claim());
    const halfway = await shown({ simulationId: again });
    expect([halfway.status, halfway.result.read, halfway.result.entered]).toEqual(['RUNNING', 14, 14]);
    expect(halfway.progress).toBeCloseTo(14 / people, 2);
    // A killed process has claimed it, and saves nothing.
    expect(await worker().claim()).toHaveLength(1);
    expect(await worker().claim()).toEqual([]);
    await sql.query(`update simulation set until = '-infinity' where simulation_id = $1`, [uuidOf('sim', again)]);
    await fixture.run();
    expect(await shown({ simulationId: again })).toMatchObject({ status: 'COMPLETED', progress: 1, result });
  });

  it('returns the latest simulation of a workflow, and shows whether the draft was saved since', async () => {
    expect((await shown({ workflowId })).draftChanged).toBe(false);
    const { updatedAt } = await fixture.get(workflowId);
    const { draft } = await fixture.get(workflowId);
    await fixture.configure(workflowId, draft as never);
    expect((await fixture.get(workflowId)).updatedAt).not.toBe(updatedAt);
    expect((await shown({ workflowId })).draftChanged).toBe(true);
  });

  it('shows an example without the address of a subscriber who was deleted since', async () => {
    const [first] = (await shown()).result.examples;
    await fixture.harness.data('delete_subscriber', { email: first!.email }, fixture.tenant);
    const [again] = (await shown()).result.examples;
    expect(again).toEqual({ ...first!, email: null });
  });

  it('keeps results for seven days', async () => {
    const sql = fixture.harness.dataSource('workflow');
    const id = await start();
    await fixture.run();
    const age = (days: number) =>
      sql.query(
        `update simulation set finished_at = clock_timestamp() - make_interval(days => $2) where simulation_id = $1`,
        [...[uuidOf('sim', id), days]],
      );
    await age(6);
    await new SimulationRepository(sql.manager).deleteOld();
    expect((await shown({ simulationId: id })).status).toBe('COMPLETED');
    await age(8);
    await new SimulationRepository(sql.manager).deleteOld();
    expect(await fixture.refusal('get_workflow_simulation', { simulationId: id })).toBe('SIMULATION_NOT_FOUND');
  });

  it('refuses unknown simulations and those of another organization', async () => {
    const refusal = (input: object, tenant = fixture.tenant) =>
      fixture.refusal('get_workflow_simulation', input, tenant);
    expect(await refusal({ simulationId: newId('sim') })).toBe('SIMULATION_NOT_FOUND');
    expect(await refusal({ simulationId }, fixture.otherTenant)).toBe('SIMULATION_NOT_FOUND');
    expect(await refusal({ workflowId }, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal({ workflowId: (await fixture.create()).id })).toBe('SIMULATION_NOT_FOUND');
    expect(await refusal({})).toBe('PARAMETERS_INVALID');
  });
});
