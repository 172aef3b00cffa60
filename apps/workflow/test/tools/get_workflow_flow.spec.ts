import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, uuidOf } from '#database';
import { addTags, byHand, day, graph } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

interface Flow {
  buckets: string[];
  bucketDays: number;
  steps: { stepId: string; entered: number[]; left: number[]; waiting: number[] }[];
  graph?: { steps: { id: string; config: object }[] } | null;
}

let fixture: WorkflowFixture;
let workflowId: string;
beforeAll(async () => {
  fixture = await isolatedFixture();
  workflowId = await fixture.live(graph([byHand, day(), addTags('tag', 'seen')]));
  for (const name of ['ada', 'bob', 'cy']) {
    await fixture.subscriber(`${name}@example.com`);
    await fixture.enrol(workflowId, `${name}@example.com`);
  }
  await fixture.run();
  await fixture.fastForward(workflowId, 'ada@example.com');
  await fixture.run();
});

describe('get_workflow_flow', () => {
  const flow = (asked: object = {}) =>
    fixture.harness.data<Flow>('get_workflow_flow', { workflowId, ...asked }, fixture.tenant);
  const last = ({ steps }: Flow) =>
    steps.map(({ stepId, entered, left, waiting }) => [stepId, entered.at(-1), left.at(-1), waiting.at(-1)]);
  const expected = [
    ['start', 3, 3, 0],
    ['wait', 3, 1, 2],
    ['tag', 1, 1, 0],
  ];

  it('counts entered, left and waiting by step for the last 30 days', async () => {
    const found = await flow();
    expect(found.buckets).toHaveLength(30);
    expect(found.buckets.at(-1)).toBe(new Date().toISOString().slice(0, 10));
    expect(last(found)).toEqual(expected);
  });

  it('agrees with the history of the runs, which it reads for one version', async () => {
    expect(last(await flow({ version: 1 }))).toEqual(expected);
    expect(last(await flow({ version: 2 }))).toEqual([]);
  });

  it('returns the steps of the version that is named, also after another is published', async () => {
    const wait = ({ graph: found }: Flow) => found?.steps.find(({ id }) => id === 'wait')?.config;
    const before = wait(await flow({ version: 1 }));
    expect(before).toMatchObject({ amount: 1, unit: 'DAYS' });
    const next = graph([byHand, { ...day(), config: { amount: 2, unit: 'HOURS' } }, addTags('tag', 'seen')]);
    await fixture.configure(workflowId, next);
    await fixture.publish(workflowId);
    expect(wait(await flow({ version: 1 }))).toEqual(before);
    expect(wait(await flow({ version: 2 }))).toMatchObject({ amount: 2, unit: 'HOURS' });
    expect(await flow({ version: 3 })).toMatchObject({ graph: null });
    expect(await flow()).not.toHaveProperty('graph');
  });

  it('carries runs that entered before the first bucket as waiting', async () => {
    await fixture.harness
      .dataSource('workflow')
      .query(`update tally_delta set day = day - 40 where metric = $1`, [`workflow.${uuidOf('wf', workflowId)!}`]);
    await fixture.harness
      .dataSource('workflow')
      .query(`update tally set day = day - 40 where metric = $1`, [`workflow.${uuidOf('wf', workflowId)!}`]);
    const { steps } = await flow();
    const wait = steps.find(({ stepId }) => stepId === 'wait')!;
    expect([...new Set(wait.entered)]).toEqual([0]);
    expect([...new Set(wait.waiting)]).toEqual([2]);
  });

  it('divides long ranges into at most 120 buckets', async () => {
    const found = await flow({ from: '2025-01-01', to: '2026-12-31' });
    expect(found.bucketDays).toBe(7);
    expect(found.buckets.length).toBeLessThanOrEqual(120);
    for (const { entered, waiting } of found.steps)
      expect([entered.length, waiting.length]).toEqual([found.buckets.length, found.buckets.length]);
  });

  it('refuses unknown workflows, those of another organization, and ranges that end before they begin', async () => {
    const refusal = (asked: object, tenant = fixture.tenant) =>
      fixture.refusal('get_workflow_flow', { workflowId, ...asked }, tenant);
    expect(await refusal({ workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal({}, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusal({ from: '2026-05-02', to: '2026-05-01' })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ from: 'yesterday' })).toBe('PARAMETERS_INVALID');
  });
});
