import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { addTags, Desk, graph, mail, step } from '../desk.js';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk.close());

const start = step('start', 'TRIGGER', { kind: 'MANUAL' });
const day = (id = 'wait') => step(id, 'WAIT', { amount: 1, unit: 'DAYS' });
const waiting = (...more: ReturnType<typeof step>[]) => graph([start, day(), ...more]);
const refusal = (tool: string, input: object, tenant = desk.ours) => desk.tidings.refusal(tool, input, tenant);
const stranger = async () => await desk.subscriber('foreign@example.com', {}, desk.theirs);

/** Every tool that names a subscriber answers alike for those it cannot mean. */
async function refusesWho(tool: string, workflowId: string) {
  expect(await refusal(tool, { workflowId })).toBe('IDENTIFIER_MISSING');
  expect(await refusal(tool, { workflowId, subscriberId: await stranger() })).toBe('SUBSCRIBER_NOT_FOUND');
  const [one] = [await desk.subscriber('one@example.com'), await desk.subscriber('two@example.com')];
  expect(await refusal(tool, { workflowId, subscriberId: one, email: 'two@example.com' })).toBe('IDENTIFIERS_DISAGREE');
}

describe('publish_workflow', () => {
  it('makes versions that never change, with the time zone and the emails of that moment', async () => {
    const { id } = await desk.create('Versions');
    await desk.configure(id, waiting(mail('m', 'First')));
    const first = await desk.tidings.data('publish_workflow', { workflowId: id }, desk.ours);
    expect(first).toMatchObject({ version: 1, activated: true, workflow: { status: 'ACTIVE' } });
    await desk.configure(id, graph([start, mail('m', 'Second')]));
    const drafted = await desk.get(id);
    expect(drafted.difference).toMatchObject({ stepsRemoved: ['wait'], stepsAdded: [], edges: true });
    expect(drafted.published).toMatchObject({ version: 1, steps: [{ id: 'start' }, { id: 'wait' }, { id: 'm' }] });
    expect(await desk.publish(id)).toMatchObject({
      published: { version: 2 },
      difference: { stepsChanged: [], edges: false, settings: false },
    });
    const sql = desk.tidings.dataSource('workflow');
    const rows = await sql.query<{ emails: Record<string, { subject: string }> }[]>(
      `select emails from workflow_version where graph::text like '%wait%' or version = 2 order by version desc limit 2`,
    );
    expect(rows.map(({ emails }) => emails.m!.subject)).toEqual(['Second', 'First']);
  });

  it('refuses an empty draft and what is gone since with GRAPH_INVALID, ARCHIVED with WORKFLOW_ARCHIVED', async () => {
    const { id } = await desk.create();
    expect(await refusal('publish_workflow', { workflowId: id })).toBe('GRAPH_INVALID');
    const [tag] = await desk.tags('passing');
    await desk.configure(id, graph([step('t', 'TRIGGER', { kind: 'TAG_ADDED', tags: ['passing'] }), mail('m')]));
    await desk.tidings.data('delete_tag', { tagId: tag }, desk.ours);
    expect(await refusal('publish_workflow', { workflowId: id })).toBe('GRAPH_INVALID');
    const live = await desk.live(waiting());
    await desk.status(live, 'ARCHIVED');
    expect(await refusal('publish_workflow', { workflowId: live })).toBe('WORKFLOW_ARCHIVED');
    expect(await refusal('publish_workflow', { workflowId: live }, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
  });

  it('refuses without a sender with SENDER_MISSING, on an unverified domain with SENDER_DOMAIN_UNVERIFIED', async () => {
    const tenant = desk.theirs;
    const { id } = await desk.create('Senders', tenant);
    await desk.configure(id, waiting(mail('m')), tenant);
    const sql = desk.tidings.dataSource('domain');
    await sql.query(`update sending_domain set status = 'PENDING'`);
    expect(await refusal('publish_workflow', { workflowId: id }, tenant)).toBe('SENDER_DOMAIN_UNVERIFIED');
    await sql.query(`update sending_domain set status = 'VERIFIED'`);
    await sql.query(
      `delete from sender where organization_id = (select organization_id from organization where name = 'Theirs')`,
    );
    expect(await refusal('publish_workflow', { workflowId: id }, tenant)).toBe('SENDER_MISSING');
  });
});

describe('update_workflow_status', () => {
  it('refuses what was never published with WORKFLOW_NOT_PUBLISHED, another organization’s with WORKFLOW_NOT_FOUND', async () => {
    const { id } = await desk.create();
    const input = { workflowId: id, status: 'ACTIVE' };
    expect(await refusal('update_workflow_status', input)).toBe('WORKFLOW_NOT_PUBLISHED');
    expect(await refusal('update_workflow_status', input, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
  });

  it('holds timers while PAUSED and lets them fire after', async () => {
    const id = await desk.live(waiting(addTags('t', 'paused then')));
    await desk.subscriber('held@example.com');
    await desk.enrol(id, 'held@example.com');
    await desk.status(id, 'PAUSED');
    await desk.pass(id, '2 days');
    await desk.run();
    expect((await desk.runs('held@example.com'))[0]).toMatchObject({
      status: 'WAITING',
      nextActionAt: expect.any(String),
    });
    expect(await refusal('add_subscriber_to_workflow', { workflowId: id, email: 'held@example.com' })).toBe(
      'WORKFLOW_NOT_ACTIVE',
    );
    await desk.status(id, 'ACTIVE');
    await desk.run();
    expect((await desk.runs('held@example.com'))[0]).toMatchObject({ status: 'COMPLETED' });
    expect(await desk.tagsOf('held@example.com')).toEqual(['paused then']);
  });

  it('ends the runs of what is ARCHIVED, and takes it up again when told to', async () => {
    const id = await desk.live(waiting());
    await desk.subscriber('archived@example.com');
    await desk.enrol(id, 'archived@example.com');
    const described = await desk.tidings.describe(
      'update_workflow_status',
      { workflowId: id, status: 'ARCHIVED' },
      desk.ours,
    );
    expect(described).toMatchObject({ data: { message: expect.stringContaining('1 runs are canceled') } });
    expect(await desk.status(id, 'ARCHIVED')).toMatchObject({ status: 'ARCHIVED', activeSubscribers: 0 });
    expect(await desk.runs('archived@example.com')).toMatchObject([
      { status: 'CANCELED', reason: 'WORKFLOW_ARCHIVED' },
    ]);
    expect(await desk.status(id, 'ACTIVE')).toMatchObject({ status: 'ACTIVE' });
    const gone = await desk.tidings.data('delete_workflow', { workflowId: id }, desk.ours);
    expect(gone).toMatchObject({ archived: true, workflow: { id, status: 'ARCHIVED' } });
  });
});

describe('every state and activate', () => {
  const states = {
    DRAFT: async () => {
      const { id } = await desk.create();
      await desk.configure(id, waiting());
      return id;
    },
    ACTIVE: () => desk.live(waiting()),
    PAUSED: async () => {
      const id = await desk.live(waiting());
      await desk.status(id, 'PAUSED');
      return id;
    },
    ARCHIVED: async () => {
      const id = await desk.live(waiting());
      await desk.status(id, 'ARCHIVED');
      return id;
    },
  };
  it.each([
    ['DRAFT', undefined, 'ACTIVE'],
    ['DRAFT', true, 'ACTIVE'],
    ['DRAFT', false, 'PAUSED'],
    ['ACTIVE', undefined, 'ACTIVE'],
    ['ACTIVE', true, 'ACTIVE'],
    ['ACTIVE', false, 'ACTIVE'],
    ['PAUSED', undefined, 'PAUSED'],
    ['PAUSED', true, 'ACTIVE'],
    ['PAUSED', false, 'PAUSED'],
    ['ARCHIVED', undefined, 'WORKFLOW_ARCHIVED'],
    ['ARCHIVED', true, 'WORKFLOW_ARCHIVED'],
    ['ARCHIVED', false, 'WORKFLOW_ARCHIVED'],
  ] as const)('publish %s with activate %s becomes %s', async (from, activate, to) => {
    const workflowId = await states[from]();
    const input = { workflowId, ...(activate !== undefined && { activate }) };
    const outcome = await desk.tidings.call('publish_workflow', input, desk.ours);
    expect(outcome.ok ? (await desk.get(workflowId)).status : outcome.error.reason).toBe(to);
  });

  it.each(
    (['ACTIVE', 'PAUSED', 'ARCHIVED'] as const).flatMap((to) =>
      (['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const).map(
        (from) => [from, to, from === 'DRAFT' ? 'WORKFLOW_NOT_PUBLISHED' : to] as const,
      ),
    ),
  )('update_workflow_status takes %s to %s: %s', async (from, status, result) => {
    const workflowId = await states[from]();
    const outcome = await desk.tidings.call('update_workflow_status', { workflowId, status }, desk.ours);
    expect(outcome.ok ? (await desk.get(workflowId)).status : outcome.error.reason).toBe(result);
  });
});

describe('add_subscriber_to_workflow', () => {
  it('starts a run at the first step, or at the one named', async () => {
    const id = await desk.live(waiting(day('second')), 'By hand');
    await desk.subscriber('by-hand@example.com');
    expect(await desk.enrol(id, 'by-hand@example.com')).toMatchObject({
      ...{ workflowId: id, workflowName: 'By hand', version: 1, status: 'WAITING', reason: null },
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
    expect(await refusal('add_subscriber_to_workflow', { workflowId: id, email: 'once@example.com' })).toBe(
      'ENROLMENT_SKIPPED',
    );
    await desk.subscriber('left@example.com');
    await desk.tidings.data('unsubscribe', { email: 'left@example.com' }, desk.ours);
    expect(await refusal('add_subscriber_to_workflow', { workflowId: id, email: 'left@example.com' })).toBe(
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
    expect(await refusal('add_subscriber_to_workflow', { workflowId: draft, email })).toBe('WORKFLOW_NOT_ACTIVE');
    expect(await refusal('add_subscriber_to_workflow', { workflowId: id, email, stepId: 'nowhere' })).toBe(
      'STEP_NOT_FOUND',
    );
    const input = { workflowId: id, email: 'foreign@example.com' };
    await stranger();
    expect(await refusal('add_subscriber_to_workflow', input, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
    await refusesWho('add_subscriber_to_workflow', id);
  });
});

describe('add_subscribers_to_workflow', () => {
  interface Many {
    matched: number;
    enrolled?: number;
    skipped?: { reason: string; count: number }[];
    steps?: { id: string }[];
    jobId?: string;
  }
  const add = async (input: object) => await desk.tidings.data<Many>('add_subscribers_to_workflow', input, desk.ours);
  const crowd = async (count: number, tag: string) => {
    const subscribers = Array.from({ length: count }, (_, n) => ({ email: `${tag}-${n}@example.com`, tags: [tag] }));
    for (let from = 0; from < count; from += 500)
      await desk.tidings.data('import_subscribers', { subscribers: subscribers.slice(from, from + 500) }, desk.ours);
  };

  it('shows with dryRun how many match and the steps, and enrols nobody', async () => {
    const id = await desk.live(waiting());
    await crowd(3, 'dry');
    const input = { workflowId: id, query: 'dry-', dryRun: true };
    expect(await add(input)).toEqual({
      matched: 3,
      steps: [
        { id: 'start', type: 'TRIGGER', name: null },
        { id: 'wait', type: 'WAIT', name: null },
      ],
      dryRun: true,
    });
    expect((await desk.get(id)).activeSubscribers).toBe(0);
  });

  it('enrols who matches, and counts who may not enter by the reason', async () => {
    const id = await desk.live(waiting());
    await crowd(5, 'some');
    await desk.enrol(id, 'some-0@example.com');
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['some'] }];
    expect(await add({ workflowId: id, filters })).toEqual({
      ...{ matched: 5, enrolled: 4, dryRun: false },
      skipped: [{ reason: 'ALREADY_ENROLLED', count: 1 }],
    });
    const subscriberIds = [await desk.subscriber('new@example.com'), newId('sub'), 'nonsense', await stranger()];
    expect(await add({ workflowId: id, subscriberIds })).toMatchObject({
      ...{ matched: 4, enrolled: 1 },
      skipped: [{ reason: 'NOT_FOUND', count: 3 }],
    });
    await desk.tidings.data('unsubscribe', { email: 'some-4@example.com' }, desk.ours);
    expect(await add({ workflowId: id, query: 'some-4', status: 'UNSUBSCRIBED' })).toMatchObject({
      ...{ matched: 1, enrolled: 0 },
      skipped: [{ reason: 'NOT_SUBSCRIBED', count: 1 }],
    });
  });

  it('enrols more than 500 in the background, once, and shows the counts', async () => {
    const id = await desk.live(waiting());
    await crowd(620, 'many');
    await desk.enrol(id, 'many-7@example.com');
    const { jobId, ...answer } = await add({ workflowId: id, query: 'many-' });
    expect(answer).toEqual({ matched: 620, status: 'RUNNING', dryRun: false });
    expect((await desk.get(id)).enrolments).toMatchObject([{ jobId, status: 'RUNNING', matched: 620, enrolled: 0 }]);
    await desk.run();
    expect(await desk.get(id)).toMatchObject({
      activeSubscribers: 620,
      enrolments: [{ jobId, status: 'DONE', enrolled: 619, skipped: [{ reason: 'ALREADY_ENROLLED', count: 1 }] }],
    });
  });

  it('refuses wrong filters, WORKFLOW_NOT_ACTIVE, STEP_NOT_FOUND and another organization’s workflow', async () => {
    const id = await desk.live(waiting());
    const { id: draft } = await desk.create();
    const wrong = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['nobody-has-it'] }];
    expect(await refusal('add_subscribers_to_workflow', { workflowId: id, filters: wrong })).toBe('FILTERS_INVALID');
    expect(await refusal('add_subscribers_to_workflow', { workflowId: draft })).toBe('WORKFLOW_NOT_ACTIVE');
    expect(await refusal('add_subscribers_to_workflow', { workflowId: id, stepId: 'nowhere' })).toBe('STEP_NOT_FOUND');
    expect(await refusal('add_subscribers_to_workflow', { workflowId: id }, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
    await desk.tags('soon gone');
    const named = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_NONE', tagNames: ['soon gone'] }];
    const input = { name: 'Broken', filters: named };
    const { segmentId } = await desk.tidings
      .data<{ segmentId?: string; segment: { id: string } }>('create_segment', input, desk.ours)
      .then(({ segment }) => ({ segmentId: segment.id }));
    const sql = desk.tidings.dataSource('subscriber');
    const filters = [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId }];
    await sql.query(`update tag set deleted_at = clock_timestamp() where name = 'soon gone'`);
    expect(await refusal('add_subscribers_to_workflow', { workflowId: id, filters })).toBe('FILTER_TARGET_GONE');
    const circle = [{ type: 'SEGMENT', field: 'segment', operator: 'INCLUDE', segmentId }];
    await sql.query(`update segment set filters = $1 where name = 'Broken'`, [JSON.stringify(circle)]);
    expect(await refusal('add_subscribers_to_workflow', { workflowId: id, filters })).toBe('SEGMENT_CYCLE');
  });
});

describe('remove_subscriber_from_workflow', () => {
  it('cancels what is under way, and nothing is a success', async () => {
    const id = await desk.live(waiting());
    const input = { workflowId: id, email: 'removed@example.com' };
    await desk.subscriber(input.email);
    await desk.enrol(id, input.email);
    expect(await desk.tidings.data('remove_subscriber_from_workflow', input, desk.ours)).toEqual({ canceled: 1 });
    expect(await desk.tidings.data('remove_subscriber_from_workflow', input, desk.ours)).toEqual({ canceled: 0 });
    expect(await desk.runs(input.email)).toMatchObject([
      { status: 'CANCELED', reason: 'REMOVED', finishedAt: expect.any(String) },
    ]);
    await refusesWho('remove_subscriber_from_workflow', id);
    expect(await refusal('remove_subscriber_from_workflow', input, desk.theirs)).toBe('WORKFLOW_NOT_FOUND');
  });
});

describe('get_subscriber_workflow_runs', () => {
  it('lists what is under way first, then what ended last', async () => {
    const email = 'listed@example.com';
    await desk.subscriber(email);
    const [first, second, third] = [
      await desk.live(waiting()),
      await desk.live(graph([start, addTags('t', 'x')])),
      await desk.live(waiting()),
    ];
    for (const id of [first, second, third]) await desk.enrol(id, email);
    await desk.tidings.data('remove_subscriber_from_workflow', { workflowId: third, email }, desk.ours);
    await desk.run();
    expect((await desk.runs(email)).map(({ workflowId, status }) => [workflowId, status])).toEqual([
      [first, 'WAITING'],
      [second, 'COMPLETED'],
      [third, 'CANCELED'],
    ]);
    expect(await desk.runs(email, second)).toHaveLength(1);
    await refusesWho('get_subscriber_workflow_runs', first);
    expect(await refusal('get_subscriber_workflow_runs', { email, workflowId: first }, desk.theirs)).toBe(
      'WORKFLOW_NOT_FOUND',
    );
  });
});

describe('fast_forward_workflow_subscriber', () => {
  const email = 'hurried@example.com';
  const hurry = (input: object) => refusal('fast_forward_workflow_subscriber', input);

  it('ends one wait a call, and what follows is done for real', async () => {
    await desk.subscriber(email);
    const until = step('until', 'WAIT_UNTIL', { event: { kind: 'UNSUBSCRIBED' }, timeout: 86_400 });
    const steps = [start, day(), until, addTags('late', 'timed out')];
    const id = await desk.live(graph(steps, 'start>wait', 'wait>until', 'until>late:TIMEOUT'));
    await desk.enrol(id, email);
    expect(await desk.fastForward(id, email)).toMatchObject({ expiredStep: { id: 'wait' }, nextStep: { id: 'until' } });
    expect(await desk.fastForward(id, email)).toMatchObject({ expiredStep: { id: 'until' }, nextStep: { id: 'late' } });
    await desk.run();
    expect(await desk.tagsOf(email)).toEqual(['timed out']);
    expect(await hurry({ workflowId: id, email })).toBe('RUN_NOT_WAITING');
  });

  it('asks which of several runs is meant with RUNS_AMBIGUOUS, and takes no unknown one', async () => {
    const id = await desk.live({ ...waiting(), settings: { reentry: 'ALWAYS' } });
    const runs = [await desk.enrol(id, email), await desk.enrol(id, email)];
    expect(await hurry({ workflowId: id, email })).toBe('RUNS_AMBIGUOUS');
    expect(await hurry({ workflowId: id, email, workflowSubscriberId: newId('run') })).toBe('RUN_NOT_FOUND');
    const input = { workflowId: id, email, workflowSubscriberId: runs[0]!.workflowSubscriberId };
    expect(await desk.tidings.data('fast_forward_workflow_subscriber', input, desk.ours)).toMatchObject({
      nextStep: null,
    });
  });

  it('advances once when it races with the timer', async () => {
    const id = await desk.live({ ...waiting(day('second')), settings: { reentry: 'ALWAYS' } });
    await desk.enrol(id, email);
    await desk.pass(id, '1 day');
    const [hurried] = await Promise.all([desk.fastForward(id, email), desk.run()]);
    await desk.run();
    const way = await desk.way(email, id);
    expect(way.slice(0, 4)).toEqual(['start:STARTED', 'wait:WAITING', 'wait:DONE', 'second:WAITING']);
    // Whichever came first, one wait ended by one call.
    expect(way.slice(4)).toEqual(hurried.expiredStep.id === 'second' ? ['second:DONE'] : []);
  });

  it('refuses WORKFLOW_PAUSED, and others’ workflows and people', async () => {
    const id = await desk.live(waiting());
    await desk.enrol(id, email);
    await desk.status(id, 'PAUSED');
    expect(await hurry({ workflowId: id, email })).toBe('WORKFLOW_PAUSED');
    await desk.status(id, 'ACTIVE');
    await refusesWho('fast_forward_workflow_subscriber', id);
    expect(await refusal('fast_forward_workflow_subscriber', { workflowId: id, email }, desk.theirs)).toBe(
      'WORKFLOW_NOT_FOUND',
    );
  });
});
