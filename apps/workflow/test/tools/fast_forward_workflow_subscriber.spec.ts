import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { addTags, byHand, day, graph, step, waiting } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture, refusalsOfWho } from '../isolated-fixture.js';

const wrongWho = ['IDENTIFIER_MISSING', 'SUBSCRIBER_NOT_FOUND', 'IDENTIFIERS_DISAGREE'];
let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

describe('fast_forward_workflow_subscriber', () => {
  const email = 'hurried@example.com';
  const hurry = (input: object) => fixture.refusal('fast_forward_workflow_subscriber', input);

  it('ends one wait a call, and what follows is done for real', async () => {
    await fixture.subscriber(email);
    const until = step('until', 'WAIT_UNTIL', { event: { kind: 'UNSUBSCRIBED' }, timeout: 86_400 });
    const steps = [byHand, day(), until, addTags('late', 'timed out')];
    const id = await fixture.live(graph(steps, 'start>wait', 'wait>until', 'until>late:TIMEOUT'));
    await fixture.enrol(id, email);
    expect(await fixture.fastForward(id, email)).toMatchObject({
      expiredStep: { id: 'wait' },
      nextStep: { id: 'until' },
    });
    expect(await fixture.fastForward(id, email)).toMatchObject({
      expiredStep: { id: 'until' },
      nextStep: { id: 'late' },
    });
    await fixture.run();
    expect(await fixture.tagsOf(email)).toEqual(['timed out']);
    expect(await hurry({ workflowId: id, email })).toBe('RUN_NOT_WAITING');
  });

  it('asks which of several runs is meant with RUNS_AMBIGUOUS, and takes no unknown one', async () => {
    const id = await fixture.live({ ...waiting(), settings: { reentry: 'ALWAYS' } });
    const runs = [await fixture.enrol(id, email), await fixture.enrol(id, email)];
    expect(await hurry({ workflowId: id, email })).toBe('RUNS_AMBIGUOUS');
    expect(await hurry({ workflowId: id, email, workflowSubscriberId: newId('run') })).toBe('RUN_NOT_FOUND');
    const input = { workflowId: id, email, workflowSubscriberId: runs[0]!.workflowSubscriberId };
    expect(await fixture.harness.data('fast_forward_workflow_subscriber', input, fixture.tenant)).toMatchObject({
      nextStep: null,
    });
  });

  it('takes a run by its id alone', async () => {
    const id = await fixture.live(waiting());
    const { workflowSubscriberId } = await fixture.enrol(id, email);
    const run = { workflowId: id, workflowSubscriberId };
    expect(await hurry({ ...run, workflowId: await fixture.live(waiting()) })).toBe('RUN_NOT_FOUND');
    expect(await hurry({ ...run, workflowSubscriberId: newId('run') })).toBe('RUN_NOT_FOUND');
    expect(await hurry({ ...run, workflowSubscriberId: 'nonsense' })).toBe('RUN_NOT_FOUND');
    expect(await fixture.harness.data('fast_forward_workflow_subscriber', run, fixture.tenant)).toMatchObject({
      run: { workflowSubscriberId },
    });
  });

  it('answers with a run that is older than the fifty that are listed', async () => {
    const id = await fixture.live({ ...waiting(day('second')), settings: { reentry: 'ALWAYS' } });
    const { workflowSubscriberId } = await fixture.enrol(id, email);
    for (let n = 0; n < 50; n++) await fixture.enrol(id, email);
    const input = { workflowId: id, email, workflowSubscriberId };
    expect(await fixture.harness.data('fast_forward_workflow_subscriber', input, fixture.tenant)).toMatchObject({
      run: { workflowSubscriberId, currentStep: { id: 'second' } },
    });
    await fixture.status(id, 'ARCHIVED');
  });

  it('advances once when it races with the timer', async () => {
    const id = await fixture.live({ ...waiting(day('second')), settings: { reentry: 'ALWAYS' } });
    await fixture.enrol(id, email);
    await fixture.pass(id, '1 day');
    const hurrying = fixture.harness.call(
      'fast_forward_workflow_subscriber',
      { workflowId: id, email },
      fixture.tenant,
    );
    const [hurried] = await Promise.all([hurrying, fixture.run()]);
    await fixture.run();
    const way = await fixture.way(email, id);
    expect(way.slice(0, 4)).toEqual(['start:STARTED', 'wait:WAITING', 'wait:DONE', 'second:WAITING']);
    // Whichever came first, the call ended one wait or none: the timer may have ended the one that was meant.
    const ended = hurried.ok ? (hurried.data as { expiredStep: { id: string } }).expiredStep.id : hurried.error.reason;
    expect(['wait', 'second', 'RUN_NOT_WAITING', 'WAIT_OVER']).toContain(ended);
    expect(way.slice(4)).toEqual(ended === 'second' ? ['second:DONE'] : []);
  });

  it.each([
    ['another wait', () => [day('second')]],
    ['the end', () => []],
  ])(
    'ends one wait for several simultaneous calls, and refuses the others with WAIT_OVER, before %s',
    async (_, more) => {
      const id = await fixture.live(waiting(...more()));
      await fixture.enrol(id, email);
      const madeAt = { now: new Date() };
      const calls = Array.from({ length: 5 }, () =>
        fixture.harness.call('fast_forward_workflow_subscriber', { workflowId: id, email }, fixture.tenant, madeAt),
      );
      const outcomes = await Promise.all(calls);
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.ok) continue;
        expect(outcome.error).toMatchObject({ code: 'CONFLICT', reason: 'WAIT_OVER' });
        expect(outcome.error.message).toContain(
          more().length > 0 ? 'WAITING at step "second"' : 'COMPLETED at step "wait"',
        );
      }
      // A call that arrives late was made before the wait ended, too.
      const late = await fixture.harness.call(
        'fast_forward_workflow_subscriber',
        { workflowId: id, email },
        fixture.tenant,
        madeAt,
      );
      expect(late).toMatchObject({ ok: false, error: { reason: 'WAIT_OVER' } });
      if (more().length > 0)
        expect(await fixture.fastForward(id, email)).toMatchObject({ expiredStep: { id: 'second' } });
    },
  );

  it('refuses WORKFLOW_PAUSED, and others’ workflows and people', async () => {
    const id = await fixture.live(waiting());
    await fixture.enrol(id, email);
    await fixture.status(id, 'PAUSED');
    expect(await hurry({ workflowId: id, email })).toBe('WORKFLOW_PAUSED');
    await fixture.status(id, 'ACTIVE');
    expect(await refusalsOfWho(fixture, 'fast_forward_workflow_subscriber', id)).toEqual(wrongWho);
    expect(
      await fixture.refusal('fast_forward_workflow_subscriber', { workflowId: id, email }, fixture.otherTenant),
    ).toBe('WORKFLOW_NOT_FOUND');
  });
});
