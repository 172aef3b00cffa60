import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { applyBatches, Outbox } from '#events';
import type { EventBatch } from '#events';
import { createLogger } from '#observability';
import { addTags, byHand, day, graph, mail, step, tagged } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { Bells } from '../../src/engine/loop/wake-signals.js';
import { workThrough } from '../../src/engine/loop/work-item.js';
import { VersionCache } from '../../src/engine/run/version-cache.service.js';
import { watchHandlers } from '../../src/engine/run/subscriber-event.consumer.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

/** Tells of a message that was sent: the workflow service hears of it at once, the others when events are delivered. */
async function tellOfMail(subscriberId: string, email: string): Promise<void> {
  const delivery = desk.tidings.dataSource('delivery');
  const { organizationId } = desk.ours;
  const outbox = new Outbox('delivery');
  const about = {
    campaignId: null,
    campaignName: null,
    subject: 'News',
    simulated: true,
    at: new Date().toISOString(),
  };
  outbox.add(organizationId, 'message.sent', { ...about, messageId: newId('msg'), subscriberId, email }, subscriberId);
  await outbox.flush(delivery.manager);
  const envelopes: EventBatch[] = await delivery.query(
    `select outbox_id as "outboxId", events from outbox where published_at is null`,
  );
  const options = {
    service: 'workflow',
    dataSource: desk.tidings.dataSource('workflow'),
    handlers: watchHandlers({ versions: new VersionCache(), bells: new Bells() }),
    log: createLogger('workflow', 'silent'),
    committed: () => undefined,
  };
  await applyBatches(options, envelopes, { failures: 0, guard: () => Promise.resolve(true) });
}

describe('filters that runs look out for', () => {
  it('waits until filters are met of which nobody tells, or which their owner learns of late', async () => {
    const named = [{ type: 'STRING', field: 'name', operator: 'EQUALS', value: 'Renamed' }];
    const other = await desk.live(graph([byHand, day()]));
    const over = [{ type: 'WORKFLOW', field: 'workflow', operator: 'COMPLETED', workflowId: other }];
    const ids = [];
    await desk.subscriber('unheard@example.com');
    await desk.enrol(other, 'unheard@example.com');
    for (const filters of [named, over]) {
      ids.push(await desk.live(graph([byHand, step('u', 'WAIT_UNTIL', { filters }), addTags('t', 'went')])));
      await desk.enrol(ids.at(-1)!, 'unheard@example.com');
    }
    await desk.run();
    await desk.tidings.data('update_subscriber', { subscriber: 'unheard@example.com', name: 'Renamed' }, desk.ours);
    await desk.pass(other, '1 day');
    await desk.run();
    for (const id of ids) {
      await desk.pass(id, '15 minutes');
      await desk.run();
      expect(await desk.way('unheard@example.com', id)).toEqual(['start:STARTED', 'u:WAITING', 'u:MATCHED', 't:DONE']);
    }
  });

  it('asks again soon whether filters are met when somebody else than the owner of people told what happened', async () => {
    const filters = [{ type: 'EVENT', field: 'EMAIL_SENT', operator: 'HAPPENED' }];
    const until = step('u', 'WAIT_UNTIL', { filters });
    const id = await desk.live(graph([byHand, until, addTags('t', 'was sent')]));
    const subscriberId = await desk.subscriber('sent@example.com');
    await desk.enrol(id, 'sent@example.com');
    await desk.run();
    await tellOfMail(subscriberId, 'sent@example.com');
    await workThrough(desk.claimOf('checks'));
    expect(await desk.way('sent@example.com', id)).toEqual(['start:STARTED', 'u:WAITING']);
    await desk.pass(id, '10 seconds');
    await desk.run();
    expect(await desk.tagsOf('sent@example.com')).toEqual(['was sent']);
  });

  it('tests what its subscriber meets already when it begins to wait, and whether it is to begin at all', async () => {
    await desk.tags('customer', 'reached');
    const goal = step('g', 'GOAL', { filters: [tagged('reached')] });
    const exits = await desk.live({
      ...graph([byHand, day()]),
      settings: { exitRules: [{ filters: [tagged('customer')] }] },
    });
    const jumps = await desk.live(graph([byHand, day(), addTags('nag', 'nagged'), goal, addTags('t', 'thanked')]));
    const round = await desk.live(graph([byHand, day(), goal, step('m', 'MOVE_TO_STEP', { stepId: 'wait' })]));
    await desk.subscriber('already@example.com', { tags: ['customer', 'reached'] });
    await desk.run();
    for (const id of [exits, jumps, round]) await desk.enrol(id, 'already@example.com');
    await desk.run();
    expect(await desk.runs('already@example.com', exits)).toMatchObject([{ status: 'CANCELED', reason: 'EXIT_RULE' }]);
    expect(await desk.way('already@example.com', jumps)).toEqual([
      'start:STARTED',
      'wait:WAITING',
      'wait:JUMPED',
      'g:PASSED',
      't:DONE',
    ]);
    expect(await desk.runs('already@example.com', round)).toMatchObject([{ status: 'WAITING' }]);
  });

  it('let no mail go to whom an exit rule fits, also where the run begins with it', async () => {
    await desk.tags('has bought', 'not any more');
    const rule = (name: string) => ({ settings: { exitRules: [{ filters: [tagged(name)] }] } });
    const id = await desk.live({ ...graph([byHand, mail('m', 'Buy')]), ...rule('has bought') });
    const old = await desk.live({ ...graph([byHand, day(), mail('m', 'Late')]), ...rule('not any more') });
    for (const email of ['bought@example.com', 'buys@example.com'])
      await desk.subscriber(email, { tags: email.startsWith('bought') ? ['has bought'] : [] });
    for (const workflowId of [id, old])
      for (const email of ['bought@example.com', 'buys@example.com']) await desk.enrol(workflowId, email);
    await desk.run();
    expect(await desk.mails('bought@example.com')).toEqual([]);
    expect(await desk.runs('bought@example.com', id)).toMatchObject([{ status: 'CANCELED', reason: 'EXIT_RULE' }]);
    // What the version of a run names may be deleted once a newer one is live: nobody meets that rule.
    await desk.configure(old, { ...graph([byHand, day(), mail('m', 'Late')]), settings: { exitRules: null } });
    await desk.publish(old);
    await desk.tidings.data('delete_tag', { name: 'not any more' }, desk.ours);
    await desk.pass(old, '1 day');
    await desk.run();
    expect(await desk.mails('buys@example.com')).toEqual(['Buy', 'Late']);
  });

  it('fail a run in sight whose email has a block for what is gone, and mail nobody', async () => {
    await desk.tags('for some');
    const line = (text: string, attrs = {}) => ({ type: 'paragraph', attrs, content: [{ type: 'text', text }] });
    const content = { type: 'doc', content: [line('Hello'), line('Dear some', { showIf: [tagged('for some')] })] };
    const id = await desk.live(graph([byHand, day(), step('m', 'EMAIL', { subject: 'To some', content })]));
    for (const email of ['some@example.com', 'left@example.com']) {
      await desk.subscriber(email);
      await desk.enrol(id, email);
    }
    await desk.run();
    await desk.status(id, 'PAUSED');
    await desk.tidings.data('delete_tag', { name: 'for some' }, desk.ours);
    await desk.status(id, 'ACTIVE');
    await desk.tidings.data('unsubscribe', { email: 'left@example.com' }, desk.ours);
    await desk.pass(id, '1 day');
    await desk.run();
    const reason = expect.stringMatching(/^FILTER_TARGET_GONE: .*"for some"/);
    expect(await desk.runs('some@example.com', id)).toMatchObject([{ status: 'FAILED', reason }]);
    expect(await desk.runs('left@example.com', id)).toMatchObject([{ status: 'CANCELED' }]);
    expect(await desk.mails('some@example.com')).toEqual([]);
  });

  it('let nothing be done for whom an exit rule fits when the run begins', async () => {
    await desk.tags('is a customer');
    const rules = { settings: { exitRules: [{ filters: [tagged('is a customer')] }] } };
    const id = await desk.live({ ...graph([byHand, addTags('t', 'nagged')]), ...rules });
    const people = ['customer@example.com', 'stranger@example.com'];
    for (const email of people) {
      await desk.subscriber(email, { tags: email.startsWith('customer') ? ['is a customer'] : [] });
      await desk.enrol(id, email);
    }
    // The steps are done before anybody looks at the rules.
    await workThrough(desk.claimOf('runs'));
    expect(await desk.tagsOf('customer@example.com')).toEqual(['is a customer']);
    expect(await desk.runs('customer@example.com', id)).toMatchObject([{ status: 'CANCELED', reason: 'EXIT_RULE' }]);
    expect(await desk.tagsOf('stranger@example.com')).toEqual(['nagged']);
  });

  it('sees what happens while it comes to a step that waits for filters', async () => {
    await desk.tags('meanwhile');
    const until = step('u', 'WAIT_UNTIL', { filters: [tagged('meanwhile')] });
    const id = await desk.live(graph([byHand, until, addTags('t', 'saw it')]));
    await desk.subscriber('comes@example.com');
    await desk.enrol(id, 'comes@example.com');
    await workThrough(
      desk.claimOf('runs', async (name) => {
        if (name !== 'get_people') return;
        await desk.subscriber('comes@example.com', { tags: ['meanwhile'] });
        await desk.tidings.deliverEvents();
        await workThrough(desk.claimOf('checks'));
      }),
    );
    await desk.run();
    expect(await desk.tagsOf('comes@example.com')).toEqual(['meanwhile', 'saw it']);
  });
});
