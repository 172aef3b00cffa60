import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { subscriberLifeRequests } from '#contracts';
import { addTags, byHand, day, graph, mail, step, tagged } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { RunTransitionRepository } from '../../src/engine/store/run-transition.repository.js';
import { drain } from '../../src/engine/loop/work-item.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

const pay = (email: string) =>
  fixture.harness.data('create_event', { email, eventType: 'SUBSCRIBER_PAYMENT', amount: 5 }, fixture.tenant);

describe('a run', () => {
  it('waits, sends and tags, records its history, and is counted by step', async () => {
    const id = await fixture.live(
      graph([byHand, day(), mail('m', 'Hello {{firstName}}'), addTags('t', 'mailed')]),
      'Whole',
    );
    await fixture.subscriber('ada@example.com', { name: 'Ada Lovelace' });
    await fixture.enrol(id, 'ada@example.com');
    await fixture.run();
    expect(await fixture.mails('ada@example.com')).toEqual([]);
    await fixture.pass(id, '1 day');
    await fixture.run();
    expect(await fixture.way('ada@example.com')).toEqual([
      'start:STARTED',
      'wait:WAITING',
      'wait:DONE',
      'm:SENT',
      't:DONE',
    ]);
    expect(await fixture.mails('ada@example.com')).toEqual(['Hello {{firstName}}']);
    expect(await fixture.tagsOf('ada@example.com')).toEqual(['mailed']);
    const { stats } = await fixture.get(id);
    expect(stats).toMatchObject({ enrolled: 1, completed: 1, canceled: 0, failed: 0 });
    expect(stats.steps).toMatchObject([
      { stepId: 'start', entered: 1, waiting: 0 },
      { stepId: 'wait', entered: 1, waiting: 0, left: { DONE: 1 } },
      { stepId: 'm', left: { SENT: 1 } },
      { stepId: 't', left: { DONE: 1 } },
    ]);
    const types = (await fixture.eventsOf('ada@example.com')).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['WORKFLOW_STARTED', 'WORKFLOW_COMPLETED', 'TAG_ADDED']));
    const inside = [{ type: 'WORKFLOW', field: 'workflow', operator: 'COMPLETED', workflowId: id }];
    expect(await fixture.harness.data('count_subscribers', { filters: inside }, fixture.tenant)).toEqual({ total: 1 });
  });

  it('reports its end with a later time than its last step', async () => {
    const id = await fixture.live(graph([byHand, addTags('t', 'at last')]));
    await fixture.subscriber('last@example.com');
    await fixture.enrol(id, 'last@example.com');
    await fixture.run();
    const events = await fixture.eventsOf('last@example.com');
    const timeOf = (wanted: string) => Date.parse(events.find(({ type }) => type === wanted)!.createdAt);
    expect(timeOf('WORKFLOW_COMPLETED')).toBeGreaterThan(timeOf('TAG_ADDED'));
  });

  it('goes on at once after a deadlock with the consumer of events', async () => {
    const id = await fixture.live(graph([byHand, addTags('t', 'in spite of it')]));
    await fixture.subscriber('deadlock@example.com');
    await fixture.enrol(id, 'deadlock@example.com');
    const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    const record = jest.spyOn(RunTransitionRepository.prototype, 'record').mockRejectedValueOnce(deadlock);
    await fixture.run();
    expect(record.mock.calls.length).toBeGreaterThan(1);
    record.mockRestore();
    expect(await fixture.way('deadlock@example.com')).toEqual(['start:STARTED', 't:DONE']);
  });

  it('decides by filters, and sees the effect of the step before', async () => {
    await fixture.tags('gold');
    const c = step('c', 'CONDITION', { filters: [tagged('gold')] });
    const id = await fixture.live(
      graph(
        [byHand, addTags('first', 'gold'), c, addTags('yes', 'was gold'), addTags('no', 'was not')],
        'start>first',
        'first>c',
        'c>yes:TRUE',
        'c>no:FALSE',
      ),
    );
    await fixture.subscriber('c@example.com');
    await fixture.enrol(id, 'c@example.com');
    await fixture.run();
    expect(await fixture.tagsOf('c@example.com')).toEqual(['gold', 'was gold']);
  });

  it('sends nothing to a suppressed subscriber, and continues', async () => {
    const id = await fixture.live({
      ...graph([byHand, day(), mail('m'), addTags('t', 'went on')]),
      settings: { exitOnUnsubscribe: false },
    });
    await fixture.subscriber('gone@example.com');
    await fixture.enrol(id, 'gone@example.com');
    await fixture.harness.data('unsubscribe', { email: 'gone@example.com' }, fixture.tenant);
    await fixture.pass(id, '1 day');
    await fixture.run();
    const [run] = await fixture.runs('gone@example.com');
    expect(run).toMatchObject({ status: 'COMPLETED' });
    expect(run!.history.find(({ stepId }) => stepId === 'm')).toMatchObject({
      outcome: 'SKIPPED',
      data: { reason: 'UNSUBSCRIBED' },
    });
    expect(await fixture.mails('gone@example.com')).toEqual([]);
  });

  it('ends when its subscriber leaves, or is deleted', async () => {
    const id = await fixture.live(graph([byHand, day()]));
    for (const email of ['leaves@example.com', 'deleted@example.com']) {
      await fixture.subscriber(email);
      await fixture.enrol(id, email);
    }
    await fixture.harness.data('unsubscribe', { email: 'leaves@example.com' }, fixture.tenant);
    const life = fixture.harness.client(subscriberLifeRequests);
    await life.delete_subscriber({ email: 'deleted@example.com' }, fixture.harness.caller(fixture.tenant));
    await fixture.run();
    expect(await fixture.runs('leaves@example.com')).toMatchObject([{ status: 'CANCELED', reason: 'UNSUBSCRIBED' }]);
    expect(await fixture.get(id)).toMatchObject({ activeSubscribers: 0, stats: { canceled: 2 } });
  });

  it('contains no personal data once its subscriber is deleted', async () => {
    const id = await fixture.live(graph([byHand, mail('m'), day()]));
    for (const person of ['erased@example.com', 'kept@example.com']) {
      await fixture.subscriber(person);
      await fixture.enrol(id, person);
    }
    await fixture.run();
    const named = () =>
      fixture.harness
        .dataSource('workflow')
        .query(
          `select data ->> 'email' as email from run_history where data ->> 'email' similar to '(erased|kept)@%' order by 1`,
        );
    expect(await named()).toEqual([{ email: 'erased@example.com' }, { email: 'kept@example.com' }]);
    const life = fixture.harness.client(subscriberLifeRequests);
    await life.delete_subscriber({ email: 'erased@example.com' }, fixture.harness.caller(fixture.tenant));
    await fixture.run();
    expect(await named()).toEqual([{ email: 'kept@example.com' }]);
  });

  it('waits until something happens, or until time is up', async () => {
    const until = step('u', 'WAIT_UNTIL', {
      event: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' },
      timeout: 3_600,
    });
    const id = await fixture.live(
      graph([byHand, until, addTags('paid', 'paid'), addTags('late', 'late')], 'start>u', 'u>paid', 'u>late:TIMEOUT'),
    );
    for (const email of ['pays@example.com', 'tarries@example.com']) {
      await fixture.subscriber(email);
      await fixture.enrol(id, email);
    }
    await pay('pays@example.com');
    await fixture.run();
    expect(await fixture.tagsOf('pays@example.com')).toEqual(['paid']);
    await fixture.pass(id, '1 hour');
    await fixture.run();
    expect(await fixture.tagsOf('tarries@example.com')).toEqual(['late']);
    expect(await fixture.tagsOf('pays@example.com')).toEqual(['paid']);
  });

  it('waits until filters are met, tested when something touches the subscriber', async () => {
    await fixture.tags('ready');
    const until = step('u', 'WAIT_UNTIL', { filters: [tagged('ready')], timeout: 86_400 });
    const id = await fixture.live(graph([byHand, until, addTags('t', 'went')]));
    await fixture.subscriber('f@example.com');
    await fixture.enrol(id, 'f@example.com');
    await fixture.run();
    expect(await fixture.runs('f@example.com')).toMatchObject([{ status: 'WAITING', currentStep: { id: 'u' } }]);
    await fixture.subscriber('f@example.com', { tags: ['ready'] });
    await fixture.run();
    expect(await fixture.tagsOf('f@example.com')).toEqual(['ready', 'went']);
  });

  it('waits until filters are met, with any number of others and with deleted targets', async () => {
    await fixture.tags('met at last', 'soon gone');
    const until = step('u', 'WAIT_UNTIL', { filters: [tagged('met at last')] });
    const others = Array.from({ length: 50 }, (_, n) => [
      { type: 'STRING', field: 'email', operator: 'EQUALS', value: `${n}@test.com` },
    ]);
    const many = await fixture.live({
      ...graph([byHand, until, addTags('t', 'went of many')]),
      settings: { exitRules: others.map((filters) => ({ filters })) },
      successGoals: others.map((filters, n) => ({ id: `other-${n}`, filters })),
    });
    const id = await fixture.live({
      ...graph([byHand, until, addTags('t', 'went beside it')]),
      successGoals: [{ id: 'gone', filters: [tagged('soon gone')] }],
    });
    await fixture.subscriber('beside@example.com');
    for (const workflowId of [id, many]) await fixture.enrol(workflowId, 'beside@example.com');
    await fixture.run();
    // The run stays on the version that names the tag, and no live version keeps it from being deleted.
    await fixture.configure(id, { ...graph([byHand, until, addTags('t', 'new')]), successGoals: [] });
    await fixture.publish(id);
    await fixture.harness.data('delete_tag', { name: 'soon gone' }, fixture.tenant);
    await fixture.subscriber('beside@example.com', { tags: ['met at last'] });
    await fixture.run();
    expect(await fixture.tagsOf('beside@example.com')).toEqual(['met at last', 'went beside it', 'went of many']);
  });

  it('follows goals, exit rules and success goals', async () => {
    await fixture.tags('bought', 'angry');
    const goal = step('g', 'GOAL', { event: { kind: 'TAG_ADDED', tags: ['bought'] } });
    const id = await fixture.live({
      ...graph([byHand, day(), addTags('nag', 'nagged'), goal, addTags('thank', 'thanked')]),
      settings: { exitRules: [{ filters: [tagged('angry')] }] },
      successGoals: [{ id: 'paid', event: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' } }],
    });
    for (const email of ['buyer@example.com', 'angry@example.com']) {
      await fixture.subscriber(email);
      await fixture.enrol(id, email);
    }
    await pay('buyer@example.com');
    await pay('buyer@example.com');
    await fixture.subscriber('buyer@example.com', { tags: ['bought'] });
    await fixture.subscriber('angry@example.com', { tags: ['angry'] });
    await fixture.run();
    expect(await fixture.tagsOf('buyer@example.com')).toEqual(['bought', 'thanked']);
    expect(await fixture.runs('angry@example.com')).toMatchObject([{ status: 'CANCELED', reason: 'EXIT_RULE' }]);
    expect((await fixture.get(id)).stats).toMatchObject({ conversions: 1, goals: [{ id: 'paid', conversions: 1 }] });
  });

  it('executes its current step once, though a goal is met meanwhile', async () => {
    const successGoals = [{ id: 'paid', event: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' } }];
    const id = await fixture.live({ ...graph([byHand, mail('m'), addTags('t', 'mailed once')]), successGoals });
    await fixture.subscriber('meanwhile@example.com');
    await fixture.enrol(id, 'meanwhile@example.com');
    await drain(
      fixture.claimOf('runs', async (name) => {
        if (name !== 'queue_workflow_messages') return;
        await pay('meanwhile@example.com');
        await fixture.harness.deliverEvents();
      }),
    );
    expect(await fixture.way('meanwhile@example.com')).toEqual(['start:STARTED', 'm:GOAL_MET']);
    await fixture.pass(id, '1 minute');
    await fixture.run();
    expect(await fixture.way('meanwhile@example.com')).toEqual(['start:STARTED', 'm:GOAL_MET', 'm:SENT', 't:DONE']);
    expect(await fixture.mails('meanwhile@example.com')).toHaveLength(1);
  });

  it('fails by a loop that never waits, and says so', async () => {
    const loop = step('w', 'WAIT', { duration: 0 });
    const id = await fixture.live(graph([byHand, loop, step('m', 'MOVE_TO_STEP', { stepId: 'w' })]));
    await fixture.subscriber('loop@example.com');
    await fixture.enrol(id, 'loop@example.com');
    await fixture.run();
    const [run] = await fixture.runs('loop@example.com');
    expect(run).toMatchObject({ status: 'FAILED', reason: 'LOOP: 1000 steps without a wait' });
    expect((await fixture.eventsOf('loop@example.com'))[0]).toMatchObject({
      type: 'WORKFLOW_CANCELED',
      data: { reason: 'FAILED: LOOP: 1000 steps without a wait' },
    });
  });

  it('holds mail back until its window opens', async () => {
    const sendWindow = { from: '09:00', to: '09:01', weekdays: [((new Date().getUTCDay() + 2) % 7) + 1] };
    const id = await fixture.live({ ...graph([byHand, mail('m')]), settings: { sendWindow, timezone: 'UTC' } });
    await fixture.subscriber('window@example.com');
    await fixture.enrol(id, 'window@example.com');
    await fixture.run();
    const [run] = await fixture.runs('window@example.com');
    expect(run).toMatchObject({ status: 'WAITING', nextActionAt: expect.stringContaining('T09:00:00.000Z') });
    expect(await fixture.mails('window@example.com')).toEqual([]);
    const hurry = { workflowId: id, email: 'window@example.com' };
    expect(await fixture.harness.refusal('fast_forward_workflow_subscriber', hurry, fixture.tenant)).toBe(
      'RUN_NOT_WAITING',
    );
  });

  it('puts people into other workflows and takes them out', async () => {
    const other = await fixture.live(graph([byHand, day()]), 'Other');
    const add = step('a', 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId: other });
    const remove = step('r', 'ACTION', { kind: 'REMOVE_FROM_WORKFLOW', workflowId: other });
    const id = await fixture.live(graph([byHand, add, day(), remove]));
    await fixture.subscriber('moved@example.com');
    await fixture.enrol(id, 'moved@example.com');
    await fixture.run();
    expect(await fixture.runs('moved@example.com', other)).toMatchObject([{ status: 'WAITING' }]);
    await fixture.pass(id, '1 day');
    await fixture.run();
    expect(await fixture.runs('moved@example.com', other)).toMatchObject([{ status: 'CANCELED', reason: 'REMOVED' }]);
  });

  it('does nothing more once it was taken out, though it was in the same hands', async () => {
    const removed = await fixture.live(graph([byHand, day(), addTags('t', 'on its way'), mail('m', 'Not to be sent')]));
    const remove = step('r', 'ACTION', { kind: 'REMOVE_FROM_WORKFLOW', workflowId: removed });
    const id = await fixture.live(graph([byHand, day(), remove]));
    await fixture.subscriber('both@example.com');
    for (const workflowId of [removed, id]) await fixture.enrol(workflowId, 'both@example.com');
    for (const workflowId of [removed, id]) await fixture.pass(workflowId, '1 day');
    await fixture.run();
    expect(await fixture.runs('both@example.com', removed)).toMatchObject([{ status: 'CANCELED', reason: 'REMOVED' }]);
    expect(await fixture.mails('both@example.com')).toEqual([]);
  });

  it('sets fields and unsubscribes', async () => {
    await fixture.harness.data('create_custom_field', { name: 'stage' }, fixture.tenant);
    const set = step('s', 'ACTION', { kind: 'SET_FIELD', field: 'Stage', value: 3 });
    const leave = step('l', 'ACTION', { kind: 'UNSUBSCRIBE', reason: 'done' });
    const id = await fixture.live({ ...graph([byHand, set, leave]), settings: { exitOnUnsubscribe: false } });
    await fixture.subscriber('fields@example.com');
    await fixture.enrol(id, 'fields@example.com');
    await fixture.run();
    const { subscriber } = await fixture.harness.data<{ subscriber: object }>(
      'get_subscriber',
      { email: 'fields@example.com' },
      fixture.tenant,
    );
    expect(subscriber).toMatchObject({ customFields: { stage: '3' }, status: 'UNSUBSCRIBED' });
    expect(await fixture.runs('fields@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('goes on after its own UNSUBSCRIBE, which ends runs of other workflows', async () => {
    const leave = step('l', 'ACTION', { kind: 'UNSUBSCRIBE' });
    const id = await fixture.live(graph([byHand, leave, day(), addTags('t', 'sunset')]));
    const other = await fixture.live(graph([byHand, day()]));
    await fixture.subscriber('sunset@example.com');
    for (const workflowId of [other, id]) await fixture.enrol(workflowId, 'sunset@example.com');
    await fixture.run();
    expect(await fixture.runs('sunset@example.com', other)).toMatchObject([
      { status: 'CANCELED', reason: 'UNSUBSCRIBED' },
    ]);
    await fixture.pass(id, '1 day');
    await fixture.run();
    expect(await fixture.runs('sunset@example.com', id)).toMatchObject([{ status: 'COMPLETED' }]);
    expect(await fixture.tagsOf('sunset@example.com')).toEqual(['sunset']);
  });
});
