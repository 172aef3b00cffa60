import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberLifeRequests, subscriberRequests } from '#contracts';
import { addTags, Desk, graph, mail, step, tagged } from './desk.js';

let desk: Desk;
/** What webhooks are sent to, and how it answers. */
let hooks: Server;
let host = '';
const posts: { request: IncomingMessage; body: string }[] = [];
let answer = 200;

beforeAll(async () => {
  hooks = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      posts.push({ request, body });
      response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(hooks.address() as AddressInfo).port}`;
  process.env.FETCH_ALLOW = host;
  desk = await Desk.open();
});
afterAll(async () => {
  delete process.env.FETCH_ALLOW;
  await desk.close();
  await new Promise((resolve) => hooks.close(resolve));
});

const byHand = step('start', 'TRIGGER', { kind: 'MANUAL' });
const onTag = (...tags: string[]) => step('start', 'TRIGGER', { kind: 'TAG_ADDED', tags });
const day = (id = 'wait') => step(id, 'WAIT', { amount: 1, unit: 'DAYS' });
const always = { settings: { reentry: 'ALWAYS' } };
const pay = (email: string) =>
  desk.tidings.data('create_event', { email, eventType: 'SUBSCRIBER_PAYMENT', amount: 5 }, desk.ours);
const eventsOf = async (email: string) => {
  const { events } = await desk.tidings.data<{ events: { type: string; data: Record<string, unknown> }[] }>(
    'list_subscriber_events',
    { email },
    desk.ours,
  );
  return events;
};

describe('a run', () => {
  it('waits, mails and tags, tells its history, and is counted by step', async () => {
    const id = await desk.live(
      graph([byHand, day(), mail('m', 'Hello {{firstName}}'), addTags('t', 'mailed')]),
      'Whole',
    );
    await desk.subscriber('ada@example.com', { name: 'Ada Lovelace' });
    await desk.enrol(id, 'ada@example.com');
    await desk.run();
    expect(await desk.mails('ada@example.com')).toEqual([]);
    await desk.pass(id, '1 day');
    await desk.run();
    expect(await desk.way('ada@example.com')).toEqual([
      'start:STARTED',
      'wait:WAITING',
      'wait:DONE',
      'm:SENT',
      't:DONE',
    ]);
    expect(await desk.mails('ada@example.com')).toEqual(['Hello {{firstName}}']);
    expect(await desk.tagsOf('ada@example.com')).toEqual(['mailed']);
    const { stats } = await desk.get(id);
    expect(stats).toMatchObject({ enrolled: 1, completed: 1, canceled: 0, failed: 0 });
    expect(stats.steps).toMatchObject([
      { stepId: 'start', entered: 1, waiting: 0 },
      { stepId: 'wait', entered: 1, waiting: 0, left: { DONE: 1 } },
      { stepId: 'm', left: { SENT: 1 } },
      { stepId: 't', left: { DONE: 1 } },
    ]);
    const types = (await eventsOf('ada@example.com')).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['WORKFLOW_STARTED', 'WORKFLOW_COMPLETED', 'TAG_ADDED']));
    const inside = [{ type: 'WORKFLOW', field: 'workflow', operator: 'COMPLETED', workflowId: id }];
    expect(await desk.tidings.data('count_subscribers', { filters: inside }, desk.ours)).toEqual({ total: 1 });
  });

  it('decides by filters, and sees the effect of the step before', async () => {
    await desk.tags('gold');
    const c = step('c', 'CONDITION', { filters: [tagged('gold')] });
    const id = await desk.live(
      graph(
        [byHand, addTags('first', 'gold'), c, addTags('yes', 'was gold'), addTags('no', 'was not')],
        'start>first',
        'first>c',
        'c>yes:TRUE',
        'c>no:FALSE',
      ),
    );
    await desk.subscriber('c@example.com');
    await desk.enrol(id, 'c@example.com');
    await desk.run();
    expect(await desk.tagsOf('c@example.com')).toEqual(['gold', 'was gold']);
  });

  it('mails nobody who may not be written to, and goes on', async () => {
    const id = await desk.live({
      ...graph([byHand, day(), mail('m'), addTags('t', 'went on')]),
      settings: { exitOnUnsubscribe: false },
    });
    await desk.subscriber('gone@example.com');
    await desk.enrol(id, 'gone@example.com');
    await desk.tidings.data('unsubscribe', { email: 'gone@example.com' }, desk.ours);
    await desk.pass(id, '1 day');
    await desk.run();
    const [run] = await desk.runs('gone@example.com');
    expect(run).toMatchObject({ status: 'COMPLETED' });
    expect(run!.history.find(({ stepId }) => stepId === 'm')).toMatchObject({
      outcome: 'SKIPPED',
      data: { reason: 'UNSUBSCRIBED' },
    });
    expect(await desk.mails('gone@example.com')).toEqual([]);
  });

  it('ends when its subscriber leaves, or is deleted', async () => {
    const id = await desk.live(graph([byHand, day()]));
    for (const email of ['leaves@example.com', 'deleted@example.com']) {
      await desk.subscriber(email);
      await desk.enrol(id, email);
    }
    await desk.tidings.data('unsubscribe', { email: 'leaves@example.com' }, desk.ours);
    const life = desk.tidings.client(subscriberLifeRequests);
    await life.delete_subscriber({ email: 'deleted@example.com' }, desk.tidings.caller(desk.ours));
    await desk.run();
    expect(await desk.runs('leaves@example.com')).toMatchObject([{ status: 'CANCELED', reason: 'UNSUBSCRIBED' }]);
    expect(await desk.get(id)).toMatchObject({ activeSubscribers: 0, stats: { canceled: 2 } });
  });

  it('waits until something happens, or until time is up', async () => {
    const until = step('u', 'WAIT_UNTIL', {
      event: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' },
      timeout: 3_600,
    });
    const id = await desk.live(
      graph([byHand, until, addTags('paid', 'paid'), addTags('late', 'late')], 'start>u', 'u>paid', 'u>late:TIMEOUT'),
    );
    for (const email of ['pays@example.com', 'tarries@example.com']) {
      await desk.subscriber(email);
      await desk.enrol(id, email);
    }
    await pay('pays@example.com');
    await desk.run();
    expect(await desk.tagsOf('pays@example.com')).toEqual(['paid']);
    await desk.pass(id, '1 hour');
    await desk.run();
    expect(await desk.tagsOf('tarries@example.com')).toEqual(['late']);
    expect(await desk.tagsOf('pays@example.com')).toEqual(['paid']);
  });

  it('waits until filters are met, tested when something touches the subscriber', async () => {
    await desk.tags('ready');
    const until = step('u', 'WAIT_UNTIL', { filters: [tagged('ready')], timeout: 86_400 });
    const id = await desk.live(graph([byHand, until, addTags('t', 'went')]));
    await desk.subscriber('f@example.com');
    await desk.enrol(id, 'f@example.com');
    await desk.run();
    expect(await desk.runs('f@example.com')).toMatchObject([{ status: 'WAITING', currentStep: { id: 'u' } }]);
    await desk.subscriber('f@example.com', { tags: ['ready'] });
    await desk.run();
    expect(await desk.tagsOf('f@example.com')).toEqual(['ready', 'went']);
  });

  it('follows goals, exit rules and success goals', async () => {
    await desk.tags('bought', 'angry');
    const goal = step('g', 'GOAL', { event: { kind: 'TAG_ADDED', tags: ['bought'] } });
    const id = await desk.live({
      ...graph([byHand, day(), addTags('nag', 'nagged'), goal, addTags('thank', 'thanked')]),
      settings: { exitRules: [{ filters: [tagged('angry')] }] },
      successGoals: [{ id: 'paid', event: { kind: 'EVENT', eventType: 'SUBSCRIBER_PAYMENT' } }],
    });
    for (const email of ['buyer@example.com', 'angry@example.com']) {
      await desk.subscriber(email);
      await desk.enrol(id, email);
    }
    await pay('buyer@example.com');
    await pay('buyer@example.com');
    await desk.subscriber('buyer@example.com', { tags: ['bought'] });
    await desk.subscriber('angry@example.com', { tags: ['angry'] });
    await desk.run();
    expect(await desk.tagsOf('buyer@example.com')).toEqual(['bought', 'thanked']);
    expect(await desk.runs('angry@example.com')).toMatchObject([{ status: 'CANCELED', reason: 'EXIT_RULE' }]);
    expect((await desk.get(id)).stats).toMatchObject({ conversions: 1, goals: [{ id: 'paid', conversions: 1 }] });
  });

  it('fails by a loop that never waits, and says so', async () => {
    const loop = step('w', 'WAIT', { duration: 0 });
    const id = await desk.live(graph([byHand, loop, step('m', 'MOVE_TO_STEP', { stepId: 'w' })]));
    await desk.subscriber('loop@example.com');
    await desk.enrol(id, 'loop@example.com');
    await desk.run();
    const [run] = await desk.runs('loop@example.com');
    expect(run).toMatchObject({ status: 'FAILED', reason: 'LOOP: 1000 steps without a wait' });
    expect((await eventsOf('loop@example.com'))[0]).toMatchObject({
      type: 'WORKFLOW_CANCELED',
      data: { reason: 'FAILED: LOOP: 1000 steps without a wait' },
    });
  });

  it('holds mail back until its window opens', async () => {
    const sendWindow = { from: '09:00', to: '09:01', weekdays: [((new Date().getUTCDay() + 2) % 7) + 1] };
    const id = await desk.live({ ...graph([byHand, mail('m')]), settings: { sendWindow, timezone: 'UTC' } });
    await desk.subscriber('window@example.com');
    await desk.enrol(id, 'window@example.com');
    await desk.run();
    const [run] = await desk.runs('window@example.com');
    expect(run).toMatchObject({ status: 'WAITING', nextActionAt: expect.stringContaining('T09:00:00.000Z') });
    expect(await desk.mails('window@example.com')).toEqual([]);
    const hurry = { workflowId: id, email: 'window@example.com' };
    expect(await desk.tidings.refusal('fast_forward_workflow_subscriber', hurry, desk.ours)).toBe('RUN_NOT_WAITING');
  });

  it('puts people into other workflows and takes them out', async () => {
    const other = await desk.live(graph([byHand, day()]), 'Other');
    const add = step('a', 'ACTION', { kind: 'ADD_TO_WORKFLOW', workflowId: other });
    const remove = step('r', 'ACTION', { kind: 'REMOVE_FROM_WORKFLOW', workflowId: other });
    const id = await desk.live(graph([byHand, add, day(), remove]));
    await desk.subscriber('moved@example.com');
    await desk.enrol(id, 'moved@example.com');
    await desk.run();
    expect(await desk.runs('moved@example.com', other)).toMatchObject([{ status: 'WAITING' }]);
    await desk.pass(id, '1 day');
    await desk.run();
    expect(await desk.runs('moved@example.com', other)).toMatchObject([{ status: 'CANCELED', reason: 'REMOVED' }]);
  });

  it('sets fields and unsubscribes', async () => {
    await desk.tidings.data('create_custom_field', { name: 'stage' }, desk.ours);
    const set = step('s', 'ACTION', { kind: 'SET_FIELD', field: 'Stage', value: 3 });
    const leave = step('l', 'ACTION', { kind: 'UNSUBSCRIBE', reason: 'done' });
    const id = await desk.live({ ...graph([byHand, set, leave]), settings: { exitOnUnsubscribe: false } });
    await desk.subscriber('fields@example.com');
    await desk.enrol(id, 'fields@example.com');
    await desk.run();
    const { subscriber } = await desk.tidings.data<{ subscriber: object }>(
      'get_subscriber',
      { email: 'fields@example.com' },
      desk.ours,
    );
    expect(subscriber).toMatchObject({ customFields: { stage: '3' }, status: 'UNSUBSCRIBED' });
    expect(await desk.runs('fields@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
  });
});

describe('a webhook', () => {
  const hook = (change: object = {}) => step('h', 'ACTION', { kind: 'WEBHOOK', url: `http://${host}/hook`, ...change });
  const call = async (email: string, change: object = {}) => {
    posts.length = 0;
    const id = await desk.live(graph([byHand, hook(change)]));
    await desk.subscriber(email);
    await desk.enrol(id, email);
    await desk.run();
    return id;
  };

  it('is signed, says who, and is recorded', async () => {
    answer = 204;
    const id = await call('hook@example.com', { secret: 'shh', headers: { 'X-Own': 'yes' } });
    expect(posts).toHaveLength(1);
    const { request, body } = posts[0]!;
    expect(JSON.parse(body)).toMatchObject({ subscriberEmail: 'hook@example.com', stepId: 'h', workflowId: id });
    const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers['x-tidings-signature'] as string)!;
    expect(createHmac('sha256', 'shh').update(`${seconds}.${body}`).digest('hex')).toBe(hex);
    expect(request.headers).toMatchObject({ 'x-own': 'yes', 'content-type': 'application/json' });
    const event = (await eventsOf('hook@example.com')).find(({ type }) => type === 'WEBHOOK_EXECUTED');
    expect(event!.data).toMatchObject({ url: `http://${host}/hook`, status: 204, stepId: 'h' });
  });

  it('that is refused fails the run; one that breaks is tried again', async () => {
    answer = 410;
    await call('refused@example.com');
    expect(await desk.runs('refused@example.com')).toMatchObject([
      { status: 'FAILED', reason: 'WEBHOOK_REFUSED: status 410' },
    ]);
    answer = 503;
    const id = await call('again@example.com');
    expect(await desk.runs('again@example.com')).toMatchObject([{ status: 'ACTIVE' }]);
    answer = 200;
    await desk.pass(id, '1 minute');
    await desk.run();
    expect(await desk.runs('again@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
    expect(posts).toHaveLength(2);
    expect(new Set(posts.map(({ request }) => request.headers['x-tidings-delivery'])).size).toBe(1);
  });

  it('reaches no address inside', async () => {
    await call('inside@example.com', { url: 'http://169.254.169.254/latest' });
    expect(await desk.runs('inside@example.com')).toMatchObject([{ status: 'ACTIVE' }]);
    expect(posts).toEqual([]);
  });
});

describe('a trigger', () => {
  it('starts by tags, subscriptions and fields, and not what another organization has', async () => {
    await desk.tags('start me');
    const id = await desk.live(graph([onTag('start me'), day()]));
    const subscribed = await desk.live(graph([step('s', 'TRIGGER', { kind: 'SUBSCRIBED' }), day()]));
    await desk.subscriber('t@example.com', { tags: ['start me'] }, desk.theirs);
    await desk.run();
    expect((await desk.get(id)).stats.enrolled).toBe(0);
    await desk.subscriber('t@example.com', { tags: ['start me'] });
    await desk.subscriber('quiet@example.com', { tags: ['start me'], triggerWorkflows: false });
    await desk.run();
    expect((await desk.get(id)).stats.enrolled).toBe(1);
    expect((await desk.get(subscribed)).stats.enrolled).toBe(1);
    await desk.status(subscribed, 'ARCHIVED');
  });

  it('asks its filters when its turn comes', async () => {
    await desk.tags('maybe', 'insider');
    const config = { kind: 'TAG_ADDED', tags: ['maybe'], filters: [tagged('insider')] };
    const id = await desk.live(graph([step('start', 'TRIGGER', config), day()]));
    await desk.subscriber('insider@example.com', { tags: ['insider', 'maybe'] });
    await desk.subscriber('outsider@example.com', { tags: ['maybe'] });
    await desk.run();
    expect((await desk.get(id)).stats).toMatchObject({ enrolled: 1, skipped: [] });
  });

  it('starts whoever leaves, where it says so, and mails them not', async () => {
    const id = await desk.live(
      graph([step('s', 'TRIGGER', { kind: 'UNSUBSCRIBED' }), mail('m'), addTags('t', 'left us')]),
    );
    await desk.subscriber('leaver@example.com');
    await desk.tidings.data('unsubscribe', { email: 'leaver@example.com' }, desk.ours);
    await desk.run();
    expect(await desk.way('leaver@example.com', id)).toEqual(['s:STARTED', 'm:SKIPPED', 't:DONE']);
    await desk.status(id, 'ARCHIVED');
  });

  it('starts on the day in a field', async () => {
    await desk.tidings.data('create_custom_field', { name: 'birthday' }, desk.ours);
    const today = new Date().toISOString().slice(0, 10);
    const config = { kind: 'DATE_FIELD', fieldId: 'birthday', offsetDays: 0, time: '00:00' };
    await desk.subscriber('today@example.com', { fields: { birthday: today } });
    await desk.subscriber('never@example.com', { fields: { birthday: '1999-01-01' } });
    const id = await desk.live({ ...graph([step('s', 'TRIGGER', config), day()]), settings: { timezone: 'UTC' } });
    await desk.run();
    await desk.run();
    expect((await desk.get(id)).stats).toMatchObject({ enrolled: 1 });
    expect(await desk.runs('today@example.com', id)).toHaveLength(1);
  });
});

describe('a group', () => {
  const enrolBoth = async (conflictStrategy: string, email: string) => {
    const { groupId } = await desk.tidings.data<{ groupId: string }>(
      'create_workflow_group',
      { name: conflictStrategy, conflictStrategy },
      desk.ours,
    );
    const ids = [
      await desk.live(graph([byHand, day()])),
      await desk.live(graph([byHand, addTags('t', 'first step'), day()])),
    ];
    for (const workflowId of ids) {
      const { updatedAt: expectedUpdatedAt } = await desk.get(workflowId);
      await desk.tidings.data('set_workflow_group', { workflowId, expectedUpdatedAt, groupId }, desk.ours);
    }
    await desk.subscriber(email);
    await desk.enrol(ids[0]!, email);
    const second = await desk.tidings.call('add_subscriber_to_workflow', { workflowId: ids[1], email }, desk.ours);
    await desk.run();
    const states = [];
    for (const id of ids)
      states.push((await desk.runs(email, id)).map(({ status, reason }) => `${status} ${reason}`).join());
    return [second.ok, ...states];
  };

  it.each([
    ['CANCEL_EXISTING', [true, 'CANCELED GROUP_CONFLICT', 'WAITING null']],
    ['SKIP_NEW', [false, 'WAITING null', '']],
    ['RUN_FIRST_STEP', [true, 'WAITING null', 'COMPLETED RUN_FIRST_STEP']],
  ])('with %s does as it says', async (strategy, result) => {
    expect(await enrolBoth(strategy, `${strategy.toLowerCase()}@example.com`)).toEqual(result);
  });

  it('lets only one of two simultaneous triggers win', async () => {
    const { groupId } = await desk.tidings.data<{ groupId: string }>(
      'create_workflow_group',
      { name: 'Race', conflictStrategy: 'SKIP_NEW' },
      desk.ours,
    );
    await desk.tags('race one', 'race two');
    const ids = [
      await desk.live(graph([onTag('race one'), day()])),
      await desk.live(graph([onTag('race two'), day()])),
    ];
    for (const workflowId of ids) {
      const { updatedAt: expectedUpdatedAt } = await desk.get(workflowId);
      await desk.tidings.data('set_workflow_group', { workflowId, expectedUpdatedAt, groupId }, desk.ours);
    }
    const emails = Array.from({ length: 10 }, (_, n) => `race-${n}@example.com`);
    for (const email of emails) await desk.subscriber(email, { tags: ['race two', 'race one'] });
    await desk.tidings.deliverEvents();
    const engines = [desk.engine(), desk.engine(), desk.engine()];
    for (let round = 0; round < 3; round++) await Promise.all(engines.map(([starts]) => starts!()));
    for (const email of emails) {
      const won = await Promise.all(ids.map(async (id) => (await desk.runs(email, id)).length));
      expect(won.reduce((sum, n) => sum + n)).toBe(1);
    }
  });
});

describe('stories that went wrong elsewhere', () => {
  it('14: a broadcast, an automation and a segment at once do not queue each other', async () => {
    await desk.tags('loop tag');
    const filters = [tagged('loop tag')];
    const { segment } = await desk.tidings.data<{ segment: { id: string } }>(
      'create_segment',
      { name: 'Looping', filters },
      desk.ours,
    );
    const again = step('r', 'ACTION', { kind: 'REMOVE_TAGS', tags: ['loop tag'] });
    const c = step('c', 'CONDITION', { filters: [{ type: 'SEGMENT', operator: 'INCLUDE', segmentId: segment.id }] });
    const id = await desk.live({
      ...graph([onTag('loop tag'), c, again, addTags('a', 'loop tag')], 'start>c', 'c>r:TRUE', 'r>a'),
      ...always,
    });
    await desk.subscriber('story14@example.com', { tags: ['loop tag'] });
    const campaign = { subject: 'News', contentType: 'MARKDOWN', content: 'x [u]({{unsubscribeUrl}})' };
    const { campaignId } = await desk.tidings.data<{ campaignId: string }>('create_campaign', campaign, desk.ours);
    const subscribers = desk.tidings.client(subscriberRequests);
    await Promise.all([
      desk.run(),
      desk.tidings.data('update_campaign_filters', { campaignId, filters }, desk.ours),
      ...Array.from({ length: 10 }, () => subscribers.count_recipients({ filters }, desk.tidings.caller(desk.ours))),
      desk.tidings.data('update_segment', { segmentId: segment.id, name: 'Looping still' }, desk.ours),
    ]);
    await desk.run();
    // The workflow's own tag does not start it again.
    expect((await desk.get(id)).stats).toMatchObject({ enrolled: 1, completed: 1 });
  });

  it('17: the same trigger ten times at once makes one run', async () => {
    await desk.tags('ten');
    const id = await desk.live(graph([onTag('ten'), day()]));
    const subscriberId = await desk.subscriber('story17@example.com');
    const enrol = { workflowId: id, subscriberId };
    await Promise.all([
      ...Array.from({ length: 5 }, () => desk.tidings.call('add_subscriber_to_workflow', enrol, desk.ours)),
      ...Array.from({ length: 5 }, () => desk.subscriber('story17@example.com', { tags: ['ten'] })),
    ]);
    await desk.run();
    expect(await desk.runs('story17@example.com', id)).toHaveLength(1);
  });

  it('18: an EMAIL step that fails goes on when it can, and else fails in sight', async () => {
    const id = await desk.live(graph([byHand, mail('m'), addTags('t', 'last step')]));
    await desk.subscriber('story18@example.com');
    await desk.enrol(id, 'story18@example.com');
    await desk.tidings.bus.without('delivery', () => desk.run());
    expect(await desk.runs('story18@example.com')).toMatchObject([{ status: 'ACTIVE', currentStep: { id: 'm' } }]);
    await desk.pass(id, '5 minutes');
    await desk.run();
    expect(await desk.runs('story18@example.com')).toMatchObject([{ status: 'COMPLETED' }]);
    expect(await desk.tagsOf('story18@example.com')).toEqual(['last step']);
    expect(await desk.mails('story18@example.com')).toHaveLength(1);
    await desk.tags('doomed');
    const doomed = await desk.live(graph([byHand, day(), addTags('t', 'doomed')]));
    await desk.enrol(doomed, 'story18@example.com');
    await desk.tidings
      .dataSource('subscriber')
      .query(`update tag set deleted_at = clock_timestamp() where name = 'doomed'`);
    await desk.pass(doomed, '1 day');
    await desk.run();
    const [failed] = await desk.runs('story18@example.com', doomed);
    expect(failed).toMatchObject({ status: 'FAILED', reason: expect.stringContaining('TAG_NOT_FOUND') });
  });

  it('25: work that was taken and never done is taken again, and happens once', async () => {
    const id = await desk.live(graph([byHand, mail('m'), addTags('t', 'story 25')]));
    await desk.subscriber('story25@example.com');
    await desk.enrol(id, 'story25@example.com');
    // Another process takes the run, and nothing is heard of it any more.
    const sql = desk.tidings.dataSource('workflow');
    await sql.query(
      `update run set next_action_at = clock_timestamp() + interval '60 seconds', fence = fence + 1 where state = 'ACTIVE'`,
    );
    await desk.run();
    expect(await desk.mails('story25@example.com')).toEqual([]);
    await desk.pass(id, '61 seconds');
    await Promise.all([desk.run(), ...desk.engine().map((take) => take())]);
    await desk.run();
    expect(await desk.mails('story25@example.com')).toHaveLength(1);
    expect(await desk.tagsOf('story25@example.com')).toEqual(['story 25']);
  });
});
