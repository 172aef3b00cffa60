import { beforeAll, describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { addTags, byHand, day, graph, mail, onSubscribing, onTag, step, tagged } from '../workflow-fixture.js';
import type { Desk } from '../workflow-fixture.js';
import { freshDesk } from '../isolated-fixture.js';

let desk: Desk;
beforeAll(async () => {
  desk = await freshDesk();
});

const several = async () => ({ subscriberIds: [await desk.subscriber('several@example.com')], tagNames: ['both'] });

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

  it('starts a workflow once, though several triggers of it are met by one event', async () => {
    await desk.tags('both', 'first only');
    const always = { settings: { reentry: 'ALWAYS' } };
    const met = (id: string, ...names: string[]) =>
      step(id, 'TRIGGER', { kind: 'TAG_ADDED', tags: ['both'], filters: [tagged(...names)] });
    const triggers = [met('a', 'first only'), met('b', 'both'), met('c', 'both')];
    const id = await desk.live({ ...graph([...triggers, day()], 'a>wait', 'b>wait', 'c>wait'), ...always });
    for (const email of ['several@example.com', 'first@example.com'])
      await desk.subscriber(email, { tags: email.startsWith('first') ? ['first only', 'both'] : ['both'] });
    await desk.run();
    expect(await desk.way('several@example.com', id)).toEqual(['b:STARTED', 'wait:WAITING']);
    expect(await desk.way('first@example.com', id)).toEqual(['a:STARTED', 'wait:WAITING']);
    expect((await desk.get(id)).stats).toMatchObject({ enrolled: 2, skipped: [] });
    await desk.tidings.data('bulk_remove_tags', await several(), desk.ours);
    await desk.tidings.data('bulk_add_tags', await several(), desk.ours);
    await desk.run();
    expect((await desk.get(id)).stats).toMatchObject({ enrolled: 3, skipped: [] });
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
    const { stats, enrolments } = await desk.get(id);
    expect(stats).toMatchObject({ enrolled: 1 });
    expect(enrolments).toMatchObject([{ status: 'DONE', matched: 1, enrolled: 1 }]);
    expect(await desk.runs('today@example.com', id)).toHaveLength(1);
  });

  it('of an organization does not wait behind the many of another', async () => {
    const ours = await desk.live(graph([byHand, day()]));
    const theirs = await desk.live(graph([onSubscribing, day()]), 'Theirs', desk.theirs);
    const sql = desk.tidings.dataSource('workflow');
    const [org, id] = [uuidOf('org', desk.ours.organizationId), uuidOf('wf', ours)];
    await sql.query(
      `insert into start_request (organization_id, subscriber_id, workflow_id, any_status, cause)
       select $1, gen_random_uuid(), $2, false, 'TAG_ADDED' from generate_series(1, 300)`,
      [org, id],
    );
    await desk.subscriber('waits-not@example.com', {}, desk.theirs);
    await desk.tidings.deliverEvents();
    await desk.engine()[0]!();
    expect((await desk.get(theirs, desk.theirs)).stats.enrolled).toBe(1);
    expect(await sql.query(`select count(*)::int as n from start_request where organization_id = $1`, [org])).toEqual([
      { n: 100 },
    ]);
    await desk.run();
  });
});
