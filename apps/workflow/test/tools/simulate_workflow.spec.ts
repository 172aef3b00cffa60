import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Data, workflowSimulationTools } from '#contracts';
import { newId, uuidOf } from '#database';
import { addTags, byHand, day, graph, mail, onTag, step, tagged } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

type Shown = Data<(typeof workflowSimulationTools)['calls']['get_workflow_simulation']>['simulation'];
type Started = Data<(typeof workflowSimulationTools)['calls']['simulate_workflow']>;

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
  await fixture.tags('vip', 'bought', 'start');
  for (const [name, ...tags] of [
    ['ada', 'vip', 'start'],
    ['bob', 'start'],
    ['cy', 'vip'],
    ['dee', 'start', 'bought'],
  ])
    await fixture.subscriber(`${name}@example.com`, { tags });
  const gone = await fixture.subscriber('eve@example.com', { tags: ['start'] });
  await fixture.harness.data('unsubscribe', { subscriberId: gone }, fixture.tenant);
});

const draft = () => ({
  ...graph(
    [
      onTag('start'),
      step('vip', 'CONDITION', { filters: [tagged('vip')] }),
      mail('offer'),
      day('pause'),
      addTags('mark', 'seen'),
    ],
    'start>vip',
    'vip>offer:TRUE',
    'vip>pause:FALSE',
    'offer>mark',
  ),
  settings: { exitRules: [{ filters: [tagged('bought')] }] },
});

const started = (input: object, tenant = fixture.tenant) =>
  fixture.harness.data<Started>('simulate_workflow', input, tenant);
const shown = async (input: object): Promise<Shown> =>
  (await fixture.harness.data<{ simulation: Shown }>('get_workflow_simulation', input, fixture.tenant)).simulation;

/** What a simulation must not change: rows of the engine, counters, messages and events. */
async function traces(): Promise<unknown> {
  const count = async (service: 'workflow' | 'subscriber' | 'delivery', table: string) => {
    const [row] = await fixture.harness
      .dataSource(service)
      .query<[{ n: number }]>(`select count(*)::int as n from ${table}`);
    return row.n;
  };
  const engine = ['run', 'run_history', 'start_request', 'enrolled_once', 'tally', 'tally_delta', 'outbox'];
  const counts = [];
  for (const table of engine) counts.push(await count('workflow', table));
  return [...counts, await count('delivery', 'message'), await count('subscriber', 'subscriber_event')];
}

describe('simulate_workflow', () => {
  it('takes instants of ISO 8601 with an offset, and orders them as instants', async () => {
    const { id: workflowId } = await fixture.create();
    await fixture.configure(workflowId, draft());
    const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19);
    const [from, to] = [`${hour(1)}+02:00`, `${hour(-0.5)}Z`];
    expect(await started({ workflowId, from, to })).toMatchObject({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    });
    await fixture.run();
  });

  it('plays a draft over past events, sends nothing and changes no run', async () => {
    const { id: workflowId } = await fixture.create();
    await fixture.configure(workflowId, draft());
    await fixture.run();
    const before = await traces();
    const { simulationId, status } = await started({ workflowId });
    expect(status).toBe('RUNNING');
    await fixture.run();
    const { result, ...simulation } = await shown({ simulationId });
    expect(simulation).toMatchObject({ status: 'COMPLETED', progress: 1, version: null, draftChanged: false });
    expect(result).toMatchObject({ considered: 4, subscribers: 4, entered: 4 });
    expect(result.runs).toEqual({ completed: 1, canceled: 2, failed: 0, waiting: 1 });
    const of = (stepId: string) => result.steps.find((one) => one.stepId === stepId)!;
    expect(of('start')).toMatchObject({ entered: 4, left: { STARTED: 4 } });
    expect(of('vip').left).toEqual({ TRUE: 1, FALSE: 3 });
    expect(of('offer')).toMatchObject({ entered: 1, mailed: 1, left: { SENT: 1 } });
    expect(of('pause')).toMatchObject({
      entered: 3,
      waiting: 1,
      left: { CANCELED: 2 },
      reasons: [
        { outcome: 'CANCELED', reason: 'EXIT_RULE', count: 1 },
        { outcome: 'CANCELED', reason: 'UNSUBSCRIBED', count: 1 },
      ],
    });
    expect(await traces()).toEqual(before);
  });

  it('answers the running simulation of a workflow to a second start, and refuses a third of the organization', async () => {
    const ids = [];
    for (const name of ['One', 'Two', 'Three']) {
      const { id } = await fixture.create(name);
      await fixture.configure(id, draft());
      ids.push(id);
    }
    const first = await started({ workflowId: ids[0] });
    await started({ workflowId: ids[1] });
    expect((await started({ workflowId: ids[0] })).simulationId).toBe(first.simulationId);
    expect(await fixture.refusal('simulate_workflow', { workflowId: ids[2] })).toBe('LIMIT_REACHED');
    await fixture.run();
    expect((await started({ workflowId: ids[2] })).status).toBe('RUNNING');
    await fixture.run();
  });

  it('plays a published version, and counts earlier enrolments for re-entry', async () => {
    const workflowId = await fixture.live(graph([onTag('vip'), day(), mail('late')]));
    const id = await fixture.subscriber('flo@example.com', { tags: ['vip'] });
    await fixture.run();
    const entered = async () => {
      await started({ workflowId, version: 1 });
      await fixture.run();
      const simulation = await shown({ workflowId });
      expect(simulation).toMatchObject({ version: 1, status: 'COMPLETED' });
      return [simulation.result.entered, simulation.result.skipped];
    };
    expect(await entered()).toEqual([3, []]);
    await fixture.harness
      .dataSource('subscriber')
      .query(`update subscriber_workflow set entered_at = entered_at - interval '40 days' where subscriber_id = $1`, [
        uuidOf('sub', id),
      ]);
    expect(await entered()).toEqual([2, [{ reason: 'ALREADY_ENROLLED', count: 1 }]]);
  });

  it('plays dates of fields, at their time', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await fixture.subscriber('gil@example.com', { fields: { renewal: today } });
    await fixture.subscriber('hal@example.com', { fields: { renewal: '2020-01-01' } });
    const { id: workflowId } = await fixture.create();
    const trigger = step('start', 'TRIGGER', { kind: 'DATE_FIELD', fieldId: 'renewal', offsetDays: -1 });
    await fixture.configure(workflowId, graph([trigger, mail('reminder')]));
    const { simulationId } = await started({ workflowId });
    await fixture.run();
    const { result } = await shown({ simulationId });
    expect(result).toMatchObject({ considered: 1, entered: 1, runs: { completed: 1 } });
    expect(result.examples).toMatchObject([{ email: 'gil@example.com', startedBy: 'DATE_FIELD' }]);
    expect(result.assumptions.map(({ code }) => code)).toContain('DATES_NOW');
  });

  it('refuses bad ranges, drafts that could not be published, and unknown workflows and versions', async () => {
    const { id: workflowId } = await fixture.create();
    await fixture.configure(workflowId, graph([byHand, day()]));
    const refusal = (input: object, tenant = fixture.tenant) =>
      fixture.refusal('simulate_workflow', { workflowId, ...input }, tenant);
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    expect(await refusal({ from: at(-40), to: at(-1) })).toBe('RANGE_TOO_LONG');
    expect(await refusal({ from: at(-1), to: at(1) })).toBe('RANGE_IN_FUTURE');
    expect(await refusal({ from: at(-1), to: at(-2) })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ version: 1 })).toBe('VERSION_NOT_FOUND');
    expect(await refusal({ workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal({}, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
    const { id: empty } = await fixture.create();
    expect(await refusal({ workflowId: empty })).toBe('GRAPH_INVALID');
  });
});
