import { beforeAll, describe, expect, it } from '@jest/globals';
import { day, waiting } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk, refusalsOfWho, stranger } from '../isolated-fixture.js';

const wrongWho = ['IDENTIFIER_MISSING', 'SUBSCRIBER_NOT_FOUND', 'IDENTIFIERS_DISAGREE'];
let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

describe('add_subscriber_to_workflow', () => {
  it('starts a run at the first step, or at the one named', async () => {
    const id = await desk.live(waiting(day('second')), 'By hand');
    await desk.subscriber('by-hand@example.com');
    expect(await desk.enrol(id, 'by-hand@example.com')).toMatchObject({
      workflowId: id,
      workflowName: 'By hand',
      version: 1,
      status: 'WAITING',
      reason: null,
      currentStep: { id: 'wait', type: 'WAIT', name: null },
      history: [
        { stepId: 'start', outcome: 'STARTED' },
        { stepId: 'wait', outcome: 'WAITING' },
      ],
    });
    await desk.subscriber('later@example.com');
    const later = { workflowId: id, email: 'later@example.com', stepId: 'second' };
    const { run } = await desk.tidings.data<{ run: object }>('add_subscriber_to_workflow', later, desk.ours);
    expect(run).toMatchObject({ currentStep: { id: 'second' } });
    expect(await desk.get(id)).toMatchObject({ activeSubscribers: 2, stats: { enrolled: 2 } });
  });

  it('refuses who may not enter with ENROLMENT_SKIPPED', async () => {
    const id = await desk.live(waiting());
    await desk.subscriber('once@example.com');
    await desk.enrol(id, 'once@example.com');
    expect(await desk.refusal('add_subscriber_to_workflow', { workflowId: id, email: 'once@example.com' })).toBe(
      'ENROLMENT_SKIPPED',
    );
    await desk.subscriber('left@example.com');
    await desk.tidings.data('unsubscribe', { email: 'left@example.com' }, desk.ours);
    expect(await desk.refusal('add_subscriber_to_workflow', { workflowId: id, email: 'left@example.com' })).toBe(
      'ENROLMENT_SKIPPED',
    );
    expect((await desk.get(id)).stats.skipped).toEqual([
      { reason: 'ALREADY_ENROLLED', count: 1 },
      { reason: 'NOT_SUBSCRIBED', count: 1 },
    ]);
  });

  it('refuses WORKFLOW_NOT_ACTIVE, STEP_NOT_FOUND, and others’ workflows and people', async () => {
    const id = await desk.live(waiting());
    const { id: draft } = await desk.create();
    const email = 'anybody@example.com';
    await desk.subscriber(email);
    expect(await desk.refusal('add_subscriber_to_workflow', { workflowId: draft, email })).toBe('WORKFLOW_NOT_ACTIVE');
    expect(await desk.refusal('add_subscriber_to_workflow', { workflowId: id, email, stepId: 'nowhere' })).toBe(
      'STEP_NOT_FOUND',
    );
    const input = { workflowId: id, email: 'foreign@example.com' };
    await stranger(desk);
    expect(await desk.refusal('add_subscriber_to_workflow', input, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusalsOfWho(desk, 'add_subscriber_to_workflow', id)).toEqual(wrongWho);
  });
});
