import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { applyBatches, Outbox } from '#events';
import type { EventBatch } from '#events';
import { createLogger } from '#observability';
import { addTags, byHand, day, graph, mail, step, tagged } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { WakeSignals } from '../../src/engine/loop/wake-signals.js';
import { drain } from '../../src/engine/loop/work-item.js';
import { VersionCache } from '../../src/engine/run/version-cache.service.js';
import { watchHandlers } from '../../src/engine/run/subscriber-event.consumer.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

/**
 * Emits the event of a sent message. The workflow service receives it at once, the others when events are delivered.
 */
async function tellOfMail(subscriberId: string, email: string): Promise<void> {
  const delivery = fixture.harness.dataSource('delivery');
  const { organizationId } = fixture.tenant;
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
    dataSource: fixture.harness.dataSource('workflow'),
    handlers: watchHandlers({ versions: new VersionCache(), wakeSignals: new WakeSignals() }),
    log: createLogger('workflow', 'silent'),
    committed: () => undefined,
  };
  await applyBatches(options, envelopes, { failures: 0, guard: () => Promise.resolve(true) });
}

describe('filters that runs look out for', () => {
  it('waits until filters are met by changes without an event, or by ones that their owner records late', async () => {
    const named = [{ type: 'STRING', field: 'name', operator: 'EQUALS', value: 'Renamed' }];
    const other = await fixture.live(graph([byHand, day()]));
    const over = [{ type: 'WORKFLOW', field: 'workflow', operator: 'COMPLETED', workflowId: other }];
    const ids = [];
    await fixture.subscriber('unheard@example.com');
    await fixture.enrol(other, 'unheard@example.com');
    for (const filters of [named, over]) {
      ids.push(await fixture.live(graph([byHand, step('u', 'WAIT_UNTIL', { filters }), addTags('t', 'went')])));
      await fixture.enrol(ids.at(-1)!, 'unheard@example.com');
    }
    await fixture.run();
    await fixture.harness.data(
      'update_subscriber',
      { subscriber: 'unheard@example.com', name: 'Renamed' },
      fixture.tenant,
    );
    await fixture.pass(other, '1 day');
    await fixture.run();
    for (const id of ids) {
      await fixture.pass(id, '15 minutes');
      await fixture.run();
      expect(await fixture.way('unheard@example.com', id)).toEqual([
        'start:STARTED',
        'u:WAITING',
        'u:MATCHED',
        't:DONE',
      ]);
    }
  });

  it('checks filters again soon after an event of another service than the subscribers’ owner', async () => {
    const filters = [{ type: 'EVENT', field: 'EMAIL_SENT', operator: 'HAPPENED' }];
    const until = step('u', 'WAIT_UNTIL', { filters });
    const id = await fixture.live(graph([byHand, until, addTags('t', 'was sent')]));
    const subscriberId = await fixture.subscriber('sent@example.com');
    await fixture.enrol(id, 'sent@example.com');
    await fixture.run();
    await tellOfMail(subscriberId, 'sent@example.com');
    await drain(fixture.claimOf('checks'));
    expect(await fixture.way('sent@example.com', id)).toEqual(['start:STARTED', 'u:WAITING']);
    await fixture.pass(id, '10 seconds');
    await fixture.run();
    expect(await fixture.tagsOf('sent@example.com')).toEqual(['was sent']);
  });

  it('tests what its subscriber meets already when it begins to wait, and whether it is to begin at all', async () => {
    await fixture.tags('customer', 'reached');
    const goal = step('g', 'GOAL', { filters: [tagged('reached')] });
    const exits = await fixture.live({
      ...graph([byHand, day()]),
      settings: { exitRules: [{ filters: [tagged('customer')] }] },
    });
    const jumps = await fixture.live(graph([byHand, day(), addTags('nag', 'nagged'), goal, addTags('t', 'thanked')]));
    const round = await fixture.live(graph([byHand, day(), goal, step('m', 'MOVE_TO_STEP', { stepId: 'wait' })]));
    await fixture.subscriber('already@example.com', { tags: ['customer', 'reached'] });
    await fixture.run();
    for (const id of [exits, jumps, round]) await fixture.enrol(id, 'already@example.com');
    await fixture.run();
    expect(await fixture.runs('already@example.com', exits)).toMatchObject([
      { status: 'CANCELED', reason: 'EXIT_RULE' },
    ]);
    expect(await fixture.way('already@example.com', jumps)).toEqual([
      'start:STARTED',
      'wait:WAITING',
      'wait:JUMPED',
      'g:PASSED',
      't:DONE',
    ]);
    expect(await fixture.runs('already@example.com', round)).toMatchObject([{ status: 'WAITING' }]);
  });

  it('let no mail go to whom an exit rule fits, also where the run begins with it', async () => {
    await fixture.tags('has bought', 'not any more');
    const rule = (name: string) => ({ settings: { exitRules: [{ filters: [tagged(name)] }] } });
    const id = await fixture.live({ ...graph([byHand, mail('m', 'Buy')]), ...rule('has bought') });
    const old = await fixture.live({ ...graph([byHand, day(), mail('m', 'Late')]), ...rule('not any more') });
    for (const email of ['bought@example.com', 'buys@example.com'])
      await fixture.subscriber(email, { tags: email.startsWith('bought') ? ['has bought'] : [] });
    for (const workflowId of [id, old])
      for (const email of ['bought@example.com', 'buys@example.com']) await fixture.enrol(workflowId, email);
    await fixture.run();
    expect(await fixture.mails('bought@example.com')).toEqual([]);
    expect(await fixture.runs('bought@example.com', id)).toMatchObject([{ status: 'CANCELED', reason: 'EXIT_RULE' }]);
    // A target named by the version of a run may be deleted once a newer version is live; then no subscriber meets that
    // rule.
    await fixture.configure(old, { ...graph([byHand, day(), mail('m', 'Late')]), settings: { exitRules: null } });
    await fixture.publish(old);
    await fixture.harness.data('delete_tag', { name: 'not any more' }, fixture.tenant);
    await fixture.pass(old, '1 day');
    await fixture.run();
    expect(await fixture.mails('buys@example.com')).toEqual(['Buy', 'Late']);
  });

  it('fail a near run whose email has a block for a deleted target, and send nothing', async () => {
    await fixture.tags('for some');
    const line = (text: string, attrs = {}) => ({ type: 'paragraph', attrs, content: [{ type: 'text', text }] });
    const content = { type: 'doc', content: [line('Hello'), line('Dear some', { showIf: [tagged('for some')] })] };
    const id = await fixture.live(graph([byHand, day(), step('m', 'EMAIL', { subject: 'To some', content })]));
    for (const email of ['some@example.com', 'left@example.com']) {
      await fixture.subscriber(email);
      await fixture.enrol(id, email);
    }
    await fixture.run();
    await fixture.status(id, 'PAUSED');
    await fixture.harness.data('delete_tag', { name: 'for some' }, fixture.tenant);
    await fixture.status(id, 'ACTIVE');
    await fixture.harness.data('unsubscribe', { email: 'left@example.com' }, fixture.tenant);
    await fixture.pass(id, '1 day');
    await fixture.run();
    const reason = expect.stringMatching(/^FILTER_TARGET_GONE: .*"for some"/);
    expect(await fixture.runs('some@example.com', id)).toMatchObject([{ status: 'FAILED', reason }]);
    expect(await fixture.runs('left@example.com', id)).toMatchObject([{ status: 'CANCELED' }]);
    expect(await fixture.mails('some@example.com')).toEqual([]);
  });

  it('let nothing be done for whom an exit rule fits when the run begins', async () => {
    await fixture.tags('is a customer');
    const rules = { settings: { exitRules: [{ filters: [tagged('is a customer')] }] } };
    const id = await fixture.live({ ...graph([byHand, addTags('t', 'nagged')]), ...rules });
    const people = ['customer@example.com', 'stranger@example.com'];
    for (const email of people) {
      await fixture.subscriber(email, { tags: email.startsWith('customer') ? ['is a customer'] : [] });
      await fixture.enrol(id, email);
    }
    // The steps run before the rules are tested.
    await drain(fixture.claimOf('runs'));
    expect(await fixture.tagsOf('customer@example.com')).toEqual(['is a customer']);
    expect(await fixture.runs('customer@example.com', id)).toMatchObject([{ status: 'CANCELED', reason: 'EXIT_RULE' }]);
    expect(await fixture.tagsOf('stranger@example.com')).toEqual(['nagged']);
  });

  it('sees what happens while it comes to a step that waits for filters', async () => {
    await fixture.tags('meanwhile');
    const until = step('u', 'WAIT_UNTIL', { filters: [tagged('meanwhile')] });
    const id = await fixture.live(graph([byHand, until, addTags('t', 'saw it')]));
    await fixture.subscriber('comes@example.com');
    await fixture.enrol(id, 'comes@example.com');
    await drain(
      fixture.claimOf('runs', async (name) => {
        if (name !== 'get_people') return;
        await fixture.subscriber('comes@example.com', { tags: ['meanwhile'] });
        await fixture.harness.deliverEvents();
        await drain(fixture.claimOf('checks'));
      }),
    );
    await fixture.run();
    expect(await fixture.tagsOf('comes@example.com')).toEqual(['meanwhile', 'saw it']);
  });
});
