import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { subscriberLifeRequests } from '#contracts';
import type { EventData, SubscriberStatus } from '#contracts';
import { uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { bounce, complain, inState, rowOf, setBan } from '../message-event-fixture.js';
import { historyOf, organization } from '../subscriber-fixture.js';

type Category = EventData<'message.bounced'>['bounceCategory'];

describe('review_suppressions', () => {
  let harness: Harness;
  let tenant: Tenant;
  beforeAll(async () => void (harness = await Harness.start()));
  afterAll(() => harness.stop());
  beforeEach(async () => void (tenant = await organization(harness, { doubleOptIn: true })));

  const review = (input: { after?: string | null; limit?: number; apply?: boolean } = {}, by = tenant) =>
    harness
      .client(subscriberLifeRequests)
      .review_suppressions({ after: null, apply: false, ...input }, harness.caller(by));
  const statusOf = async (id: string) => (await rowOf(harness, id)).status;
  const counted = async () =>
    (await harness.data<{ counts: object }>('count_subscribers_by_status', {}, tenant)).counts;

  /** A subscriber that an older version suppressed by five soft bounces: it kept neither the decision nor the status before. */
  const suppressedBefore = async (email: string, category: Category, status: SubscriberStatus = 'SUBSCRIBED') => {
    const one = await inState(harness, tenant, { email, status });
    const soft = { bounceType: 'SOFT' as const, bounceCategory: category, reason: '554 no' };
    for (let n = 0; n < 5; n += 1) await bounce(harness, tenant, one, soft);
    await asBefore(one.id);
    return one;
  };
  const asBefore = async (id: string) => {
    await harness.dataSource('subscriber').query(
      `with before as (select organization_id, status from subscriber where subscriber_id = $1 and status <> 'BOUNCED'),
       counted as (insert into tally_delta (organization_id, metric, key, day, n)
         select organization_id, 'status', status, current_date, -1 from before
         union all select organization_id, 'status', 'BOUNCED', current_date, 1 from before)
       update subscriber set status = 'BOUNCED', status_at = now(), status_before_suppression = null,
         status_reason = 'soft bounces on 5 sends in 30 days', bounce_category = 'POLICY' where subscriber_id = $1`,
      [uuidOf('sub', id)],
    );
  };

  it('lists without a change, then restores the previous status, and finds no more', async () => {
    const wrongly: [string, SubscriberStatus][] = [
      ['subscribed@example.com', 'SUBSCRIBED'],
      ['pending@example.com', 'PENDING_CONFIRMATION'],
      ['transactional@example.com', 'TRANSACTIONAL'],
    ];
    const ids = new Map<string, string>();
    for (const [email, status] of wrongly) ids.set(email, (await suppressedBefore(email, 'POLICY', status)).id);
    await harness
      .dataSource('subscriber')
      .query(`update subscriber set confirmation_sent_at = now() where subscriber_id = $1`, [
        uuidOf('sub', ids.get('pending@example.com')),
      ]);
    const rightly = await suppressedBefore('full@example.com', 'MAILBOX_FULL');
    const expected = {
      kept: { COUNTED: 1 },
      next: null,
      restored: wrongly.map(([email, status]) => ({
        subscriberId: ids.get(email),
        email,
        status,
        causes: { POLICY: 5 },
      })),
    };
    expect(await review()).toEqual(expected);
    expect(await counted()).toMatchObject({ BOUNCED: 4, SUBSCRIBED: 0, PENDING_CONFIRMATION: 0, TRANSACTIONAL: 0 });
    expect(await review({ apply: true })).toEqual(expected);
    for (const [email, status] of wrongly) expect(await statusOf(ids.get(email)!)).toBe(status);
    expect(await statusOf(rightly.id)).toBe('BOUNCED');
    expect(await counted()).toMatchObject({ BOUNCED: 1, SUBSCRIBED: 1, PENDING_CONFIRMATION: 1, TRANSACTIONAL: 1 });
    expect(await review({ apply: true })).toEqual({ restored: [], kept: { COUNTED: 1 }, next: null });
    expect((await historyOf(harness, tenant, 'subscribed@example.com'))[0]).toBe('SUBSCRIBED');
  });

  it('restores the status stored when the suppression was recorded', async () => {
    const one = await inState(harness, tenant, { email: 'kept@example.com', status: 'TRANSACTIONAL' });
    const soft = { bounceType: 'SOFT' as const, bounceCategory: 'MAILBOX_FULL' as const, reason: '552 full' };
    for (let n = 0; n < 5; n += 1) await bounce(harness, tenant, one, soft);
    expect(await rowOf(harness, one.id)).toMatchObject({
      status: 'BOUNCED',
      status_before_suppression: 'TRANSACTIONAL',
    });
    await harness
      .dataSource('subscriber')
      .query(`update subscriber_event set data = data || '{"bounceCategory":"POLICY"}' where subscriber_id = $1`, [
        uuidOf('sub', one.id),
      ]);
    await review({ apply: true });
    expect(await rowOf(harness, one.id)).toMatchObject({
      status: 'TRANSACTIONAL',
      status_before_suppression: null,
      bounce_category: null,
    });
  });

  it('touches no subscriber with a hard bounce, a complaint, a ban or an unsubscription', async () => {
    const others: [string, (one: { id: string; email: string }) => Promise<unknown>][] = [
      ['hard@example.com', (one) => bounce(harness, tenant, one)],
      ['complaint@example.com', (one) => complain(harness, tenant, one)],
      ['ban@example.com', ({ email }) => setBan(harness, tenant, email)],
      ['left@example.com', ({ id }) => harness.data('unsubscribe', { subscriberId: id }, tenant)],
    ];
    const before: Record<string, unknown>[] = [];
    for (const [email, then] of others) {
      const one = await suppressedBefore(email, 'POLICY');
      await then(one);
      before.push(await rowOf(harness, one.id));
    }
    expect(await review({ apply: true })).toEqual({ restored: [], kept: {}, next: null });
    for (const row of before) {
      const [now] = await harness
        .dataSource('subscriber')
        .query<object[]>(`select * from subscriber where subscriber_id = $1`, [row.subscriber_id]);
      expect(now).toEqual(row);
    }
  });

  it('goes page by page, and keeps organizations apart', async () => {
    const wrongly = [];
    for (const n of [0, 1, 2]) wrongly.push((await suppressedBefore(`page${n}@example.com`, 'CONTENT')).id);
    const otherTenant = await organization(harness);
    expect(await review({ apply: true }, otherTenant)).toEqual({ restored: [], kept: {}, next: null });
    const first = await review({ limit: 2, apply: true });
    expect(first).toMatchObject({ restored: [{}, {}], next: wrongly[1] });
    const second = await review({ limit: 2, apply: true, after: first.next });
    expect(second).toMatchObject({ restored: [{ subscriberId: wrongly[2] }], next: null });
  });
});
