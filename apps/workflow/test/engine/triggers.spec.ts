import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, newSendUuid, uuidOf, wireId } from '#database';
import { Outbox, settledData } from '#events';
import { addTags, byHand, day, graph, mail, onSubscribing, onTag, step, tagged } from '../workflow-fixture.js';
import type { WorkflowFixture } from '../workflow-fixture.js';
import { isolatedFixture } from '../isolated-fixture.js';

let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await isolatedFixture();
});

const several = async () => ({ subscriberIds: [await fixture.subscriber('several@example.com')], tagNames: ['both'] });

describe('a trigger', () => {
  it('starts by tags, subscriptions and fields, and not what another organization has', async () => {
    await fixture.tags('start me');
    const id = await fixture.live(graph([onTag('start me'), day()]));
    const subscribed = await fixture.live(graph([step('s', 'TRIGGER', { kind: 'SUBSCRIBED' }), day()]));
    await fixture.subscriber('t@example.com', { tags: ['start me'] }, fixture.otherTenant);
    await fixture.run();
    expect((await fixture.get(id)).stats.enrolled).toBe(0);
    await fixture.subscriber('t@example.com', { tags: ['start me'] });
    await fixture.subscriber('quiet@example.com', { tags: ['start me'], triggerWorkflows: false });
    await fixture.run();
    expect((await fixture.get(id)).stats.enrolled).toBe(1);
    expect((await fixture.get(subscribed)).stats.enrolled).toBe(1);
    await fixture.status(subscribed, 'ARCHIVED');
  });

  it('asks its filters when its turn comes', async () => {
    await fixture.tags('maybe', 'insider');
    const config = { kind: 'TAG_ADDED', tags: ['maybe'], filters: [tagged('insider')] };
    const id = await fixture.live(graph([step('start', 'TRIGGER', config), day()]));
    await fixture.subscriber('insider@example.com', { tags: ['insider', 'maybe'] });
    await fixture.subscriber('outsider@example.com', { tags: ['maybe'] });
    await fixture.run();
    expect((await fixture.get(id)).stats).toMatchObject({ enrolled: 1, skipped: [] });
  });

  it('starts a workflow once, though several triggers of it are met by one event', async () => {
    await fixture.tags('both', 'first only');
    const always = { settings: { reentry: 'ALWAYS' } };
    const met = (id: string, ...names: string[]) =>
      step(id, 'TRIGGER', { kind: 'TAG_ADDED', tags: ['both'], filters: [tagged(...names)] });
    const triggers = [met('a', 'first only'), met('b', 'both'), met('c', 'both')];
    const id = await fixture.live({ ...graph([...triggers, day()], 'a>wait', 'b>wait', 'c>wait'), ...always });
    for (const email of ['several@example.com', 'first@example.com'])
      await fixture.subscriber(email, { tags: email.startsWith('first') ? ['first only', 'both'] : ['both'] });
    await fixture.run();
    expect(await fixture.way('several@example.com', id)).toEqual(['b:STARTED', 'wait:WAITING']);
    expect(await fixture.way('first@example.com', id)).toEqual(['a:STARTED', 'wait:WAITING']);
    expect((await fixture.get(id)).stats).toMatchObject({ enrolled: 2, skipped: [] });
    await fixture.harness.data('bulk_remove_tags', await several(), fixture.tenant);
    await fixture.harness.data('bulk_add_tags', await several(), fixture.tenant);
    await fixture.run();
    expect((await fixture.get(id)).stats).toMatchObject({ enrolled: 3, skipped: [] });
  });

  it('starts by groups of settled messages, for whom they were received', async () => {
    const ids = [await fixture.subscriber('got@example.com'), await fixture.subscriber('sent@example.com')];
    const settle = async () => {
      const sendId = wireId('send', newSendUuid());
      const message = { variant: null, destination: 'other', simulated: false, subjectValues: null };
      const data = settledData({ sendId, campaignId: newId('cmp'), chunk: 0, at: new Date().toISOString() }, [
        { ...message, position: 0, subscriberId: ids[0]!, outcome: 'DELIVERED' },
        { ...message, position: 1, subscriberId: ids[1]!, outcome: 'SENT' },
      ]);
      const outbox = new Outbox('delivery');
      outbox.add(fixture.tenant.organizationId, 'messages.settled', data, sendId);
      await outbox.flush(fixture.harness.dataSource('delivery').manager);
      await fixture.run();
    };
    const sent = { event: { kind: 'EVENT', eventType: 'EMAIL_SENT' } };
    const waits = await fixture.live(graph([byHand, step('u', 'WAIT_UNTIL', sent), addTags('t', 'was sent')]));
    await fixture.enrol(waits, 'sent@example.com');
    await fixture.run();
    await settle();
    expect(await fixture.tagsOf('sent@example.com')).toEqual(['was sent']);
    const received = { kind: 'EVENT', eventType: 'EMAIL_RECEIVED' };
    const starts = await fixture.live(graph([step('start', 'TRIGGER', received), day()]));
    await settle();
    expect((await fixture.get(starts)).stats.enrolled).toBe(1);
    expect(await fixture.way('got@example.com', starts)).toEqual(['start:STARTED', 'wait:WAITING']);
  });

  it('starts on an unsubscription if configured, and sends no mail', async () => {
    const id = await fixture.live(
      graph([step('s', 'TRIGGER', { kind: 'UNSUBSCRIBED' }), mail('m'), addTags('t', 'left us')]),
    );
    await fixture.subscriber('leaver@example.com');
    await fixture.harness.data('unsubscribe', { email: 'leaver@example.com' }, fixture.tenant);
    await fixture.run();
    expect(await fixture.way('leaver@example.com', id)).toEqual(['s:STARTED', 'm:SKIPPED', 't:DONE']);
    await fixture.status(id, 'ARCHIVED');
  });

  it('starts on the day in a field', async () => {
    await fixture.harness.data('create_custom_field', { name: 'birthday' }, fixture.tenant);
    const today = new Date().toISOString().slice(0, 10);
    const config = { kind: 'DATE_FIELD', fieldId: 'birthday', offsetDays: 0, time: '00:00' };
    await fixture.subscriber('today@example.com', { fields: { birthday: today } });
    await fixture.subscriber('never@example.com', { fields: { birthday: '1999-01-01' } });
    const id = await fixture.live({ ...graph([step('s', 'TRIGGER', config), day()]), settings: { timezone: 'UTC' } });
    await fixture.run();
    await fixture.run();
    const { stats, enrolments } = await fixture.get(id);
    expect(stats).toMatchObject({ enrolled: 1 });
    expect(enrolments).toMatchObject([{ status: 'DONE', matched: 1, enrolled: 1 }]);
    expect(await fixture.runs('today@example.com', id)).toHaveLength(1);
  });

  it('of an organization does not wait behind the many of another', async () => {
    const tenant = await fixture.live(graph([byHand, day()]));
    const otherTenant = await fixture.live(graph([onSubscribing, day()]), 'Theirs', fixture.otherTenant);
    const sql = fixture.harness.dataSource('workflow');
    const [org, id] = [uuidOf('org', fixture.tenant.organizationId), uuidOf('wf', tenant)];
    await sql.query(
      `insert into start_request (organization_id, subscriber_id, workflow_id, any_status, cause)
       select $1, gen_random_uuid(), $2, false, 'TAG_ADDED' from generate_series(1, 300)`,
      [org, id],
    );
    await fixture.subscriber('waits-not@example.com', {}, fixture.otherTenant);
    await fixture.harness.deliverEvents();
    await fixture.engine()[0]!();
    expect((await fixture.get(otherTenant, fixture.otherTenant)).stats.enrolled).toBe(1);
    expect(await sql.query(`select count(*)::int as n from start_request where organization_id = $1`, [org])).toEqual([
      { n: 100 },
    ]);
    await fixture.run();
  });
});
