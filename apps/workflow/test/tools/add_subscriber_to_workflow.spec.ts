import { beforeAll, describe, expect, it } from '@jest/globals';
import { day, waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, refusalsOfWho, otherTenant } from '../isolated-fixture.js';

const wrongWho = ['IDENTIFIER_MISSING', 'SUBSCRIBER_NOT_FOUND', 'IDENTIFIERS_DISAGREE'];
let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('add_subscriber_to_workflow', () => {
  it('starts a run at the first step, or at the one named', async () => {
    const id = await fixture.live(waiting(day('second')), 'By hand');
    await fixture.subscriber('by-hand@example.com');
    expect(await fixture.enrol(id, 'by-hand@example.com')).toMatchObject({
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
    await fixture.subscriber('later@example.com');
    const later = { workflowId: id, email: 'later@example.com', stepId: 'second' };
    const { run } = await fixture.harness.data<{ run: object }>('add_subscriber_to_workflow', later, fixture.tenant);
    expect(run).toMatchObject({ currentStep: { id: 'second' } });
    expect(await fixture.get(id)).toMatchObject({ activeSubscribers: 2, stats: { enrolled: 2 } });
  });

  it('refuses who may not enter with ENROLMENT_SKIPPED', async () => {
    const id = await fixture.live(waiting());
    await fixture.subscriber('once@example.com');
    await fixture.enrol(id, 'once@example.com');
    expect(await fixture.refusal('add_subscriber_to_workflow', { workflowId: id, email: 'once@example.com' })).toBe(
      'ENROLMENT_SKIPPED',
    );
    await fixture.subscriber('left@example.com');
    await fixture.harness.data('unsubscribe', { email: 'left@example.com' }, fixture.tenant);
    expect(await fixture.refusal('add_subscriber_to_workflow', { workflowId: id, email: 'left@example.com' })).toBe(
      'ENROLMENT_SKIPPED',
    );
    expect((await fixture.get(id)).stats.skipped).toEqual([
      { reason: 'ALREADY_ENROLLED', count: 1 },
      { reason: 'NOT_SUBSCRIBED', count: 1 },
    ]);
  });

  it('refuses WORKFLOW_NOT_ACTIVE, STEP_NOT_FOUND, and others’ workflows and people', async () => {
    const id = await fixture.live(waiting());
    const { id: draft } = await fixture.create();
    const email = 'anybody@example.com';
    await fixture.subscriber(email);
    expect(await fixture.refusal('add_subscriber_to_workflow', { workflowId: draft, email })).toBe(
      'WORKFLOW_NOT_ACTIVE',
    );
    expect(await fixture.refusal('add_subscriber_to_workflow', { workflowId: id, email, stepId: 'nowhere' })).toBe(
      'STEP_NOT_FOUND',
    );
    const input = { workflowId: id, email: 'foreign@example.com' };
    await otherTenant(fixture);
    expect(await fixture.refusal('add_subscriber_to_workflow', input, fixture.otherTenant)).toBe('WORKFLOW_NOT_FOUND');
    expect(await refusalsOfWho(fixture, 'add_subscriber_to_workflow', id)).toEqual(wrongWho);
  });
});
