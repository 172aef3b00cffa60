import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { addTags, byHand, graph, step } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('get_workflow', () => {
  it('answers WORKFLOW_NOT_FOUND for what is unknown or another organization’s', async () => {
    const { id } = await desk.create();
    expect(await desk.refusal('get_workflow', { workflowId: id }, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
    expect(await desk.refusal('get_workflow', { workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    expect(await desk.refusal('get_workflow', { workflowId: 'nonsense' })).toBe('WORKFLOW_NOT_FOUND');
  });

  it('counts those who wait at steps that only a version before has, until they have left', async () => {
    const wait = step('old', 'WAIT', { amount: 1, unit: 'DAYS' });
    const id = await desk.live(graph([byHand, wait, addTags('then', 'waited')]));
    await desk.subscriber('between@example.com');
    await desk.enrol(id, 'between@example.com');
    await desk.configure(id, graph([byHand, addTags('new', 'at once')]));
    await desk.publish(id);
    const { stats, activeSubscribers } = await desk.get(id);
    expect(activeSubscribers).toBe(1);
    expect(stats.steps).toMatchObject([
      { stepId: byHand.id, entered: 1, waiting: 0 },
      { stepId: 'new', entered: 0, waiting: 0 },
      { stepId: 'old', entered: 1, waiting: 1, left: {} },
    ]);
    await desk.pass(id, '1 day');
    await desk.run();
    expect((await desk.get(id)).stats.steps.map(({ stepId }) => stepId)).toEqual([byHand.id, 'new']);
  });
});
