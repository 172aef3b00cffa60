import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { addTags, byHand, graph, step } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('get_workflow', () => {
  it('returns WORKFLOW_NOT_FOUND for unknown ids and ids of another organization', async () => {
    const { id } = await fixture.create();
    expect(await fixture.refusal('get_workflow', { workflowId: id }, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
    expect(await fixture.refusal('get_workflow', { workflowId: newId('wf') })).toBe('WORKFLOW_NOT_FOUND');
    expect(await fixture.refusal('get_workflow', { workflowId: 'nonsense' })).toBe('WORKFLOW_NOT_FOUND');
  });

  it('counts runs that wait at steps of an earlier version only, until they have left', async () => {
    const wait = step('old', 'WAIT', { amount: 1, unit: 'DAYS' });
    const id = await fixture.live(graph([byHand, wait, addTags('then', 'waited')]));
    await fixture.subscriber('between@example.com');
    await fixture.enrol(id, 'between@example.com');
    await fixture.configure(id, graph([byHand, addTags('new', 'at once')]));
    await fixture.publish(id);
    const { stats, activeSubscribers } = await fixture.get(id);
    expect(activeSubscribers).toBe(1);
    expect(stats.steps).toMatchObject([
      { stepId: byHand.id, entered: 1, waiting: 0 },
      { stepId: 'new', entered: 0, waiting: 0 },
      { stepId: 'old', entered: 1, waiting: 1, left: {} },
    ]);
    await fixture.pass(id, '1 day');
    await fixture.run();
    expect((await fixture.get(id)).stats.steps.map(({ stepId }) => stepId)).toEqual([byHand.id, 'new']);
  });
});
