import { describe, expect, it } from '@jest/globals';
import type { EventData } from '#contracts';
import { newId, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { historyOf, organization, person, tell } from '../subscriber-fixture.js';
import type { Subscriber, ReportedMail } from '../subscriber-fixture.js';

describe('facts of delivery', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const campaignId = newId('cmp');

  const about = ({ id, email }: Subscriber, at = new Date().toISOString()) => ({
    messageId: newId('msg'),
    subscriberId: id,
    campaignId,
    campaignName: 'News',
    subject: 'Hello',
    email,
    at,
    simulated: false,
  });
  const bounced = (
    who: Subscriber,
    bounceType: 'HARD' | 'SOFT',
    at?: string,
  ): ReportedMail & { data: EventData<'message.bounced'> } => ({
    name: 'message.bounced',
    data: {
      ...about(who, at),
      bounceType,
      bounceCategory: bounceType === 'HARD' ? 'NO_SUCH_USER' : 'MAILBOX_FULL',
      reason: '550 no such user',
      provider: null,
      status: '5.1.1',
    },
  });
  const get = async ({ id }: Subscriber) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { subscriberId: id }, tenant)).subscriber;
  const projection = async ({ id }: Subscriber) =>
    (
      await harness
        .dataSource('subscriber')
        .query(
          `select sent_at, opened_at, last_opened_at, clicked_at, last_clicked_at, bounced_at from subscriber_campaign where subscriber_id = $1`,
          [uuidOf('sub', id)],
        )
    )[0] as Record<string, Date | null>;
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

  it('write history and counters, and record the first and last times in any order', async () => {
    const ada = await person(harness, tenant, { email: 'ada@example.com' });
    const [first, second, third] = [daysAgo(3), daysAgo(2), daysAgo(1)];
    const opened = (at: string, machine: boolean): ReportedMail => ({
      name: 'message.opened',
      data: { ...about(ada, at), machine, first: false, userAgent: 'a reader' },
    });
    const clicked = (at: string, machine: boolean): ReportedMail => ({
      name: 'message.clicked',
      data: {
        ...about(ada, at),
        machine,
        first: false,
        firstOfLink: false,
        url: 'https://example.com/',
        userAgent: null,
      },
    });
    await tell(harness, tenant, [
      clicked(third, false),
      opened(second, false),
      opened(daysAgo(0), true),
      clicked(first, true),
    ]);
    await tell(harness, tenant, [
      { name: 'message.delivered', data: about(ada, first) },
      { name: 'message.sent', data: about(ada, second) },
      { name: 'message.sent', data: about(ada, first) },
      { name: 'message.delayed', data: { ...about(ada, first), reason: '451 later', attempts: 2 } },
    ]);
    expect(await get(ada)).toMatchObject({ emailCount: 2, openCount: 1, clickCount: 1 });
    expect((await historyOf(harness, tenant, ada.email)).sort()).toEqual([
      ...['EMAIL_CLICKED', 'EMAIL_CLICKED', 'EMAIL_DELIVERY_DELAYED', 'EMAIL_OPENED', 'EMAIL_OPENED', 'EMAIL_RECEIVED'],
      ...['EMAIL_SENT', 'EMAIL_SENT', 'SUBSCRIBED'],
    ]);
    expect(await projection(ada)).toEqual({
      sent_at: new Date(second),
      opened_at: new Date(second),
      last_opened_at: new Date(third),
      clicked_at: new Date(third),
      last_clicked_at: new Date(third),
      bounced_at: null,
    });
    const { events } = await harness.data<{ events: { data: object; createdAt: string }[] }>(
      'list_subscriber_events',
      { email: ada.email, eventType: 'EMAIL_CLICKED' },
      tenant,
    );
    expect(events.map(({ data, createdAt }) => ({ data, createdAt }))).toMatchObject([
      { data: { campaignId, subject: 'Hello', url: 'https://example.com/', machine: false }, createdAt: third },
      { data: { machine: true }, createdAt: first },
    ]);
    const engaged = { type: 'SYSTEM', operator: 'IS_ENGAGED' };
    expect(await harness.data('count_subscribers', { filters: [engaged] }, tenant)).toEqual({ total: 1 });
  });

  it('openings by scanners appear in the history, and count for no subscriber', async () => {
    const eve = await person(harness, tenant, { email: 'eve@example.com' });
    const scanned = { ...about(eve), machine: true, first: false, userAgent: 'a scanner' };
    await tell(harness, tenant, [
      { name: 'message.sent', data: about(eve) },
      { name: 'message.opened', data: scanned },
      { name: 'message.clicked', data: { ...scanned, firstOfLink: false, url: 'https://example.com/' } },
    ]);
    expect(await get(eve)).toMatchObject({ emailCount: 1, openCount: 0, clickCount: 0 });
    expect(await historyOf(harness, tenant, eve.email)).toContain('EMAIL_OPENED');
    const matching = async (filter: object) =>
      await harness.data('query_subscribers', { filters: [filter], query: eve.email, fields: ['email'] }, tenant);
    for (const [operator, total] of [
      ['IS_ENGAGED', 0],
      ['IS_SUSPECT', 1],
    ]) {
      expect(await matching({ type: 'SYSTEM', operator })).toMatchObject({ total });
    }
    expect(await matching({ type: 'DATE', field: 'lastOpenedAt', operator: 'IS_EMPTY' })).toMatchObject({ total: 1 });
    expect(await projection(eve)).toMatchObject({ opened_at: null, last_opened_at: null });
  });

  it('of many people arrive in one envelope, each counted once though it is delivered twice', async () => {
    const people = await Promise.all(
      Array.from({ length: 40 }, (_, i) => person(harness, tenant, { email: `many${i}@example.com` })),
    );
    await tell(
      harness,
      tenant,
      [...people, ...people].map((who) => ({ name: 'message.sent', data: about(who) })),
    );
    await harness.dataSource('delivery').query(`update outbox set published_at = null`);
    await harness.deliverEvents();
    expect((await Promise.all(people.map(get))).map(({ emailCount }) => emailCount)).toEqual(people.map(() => 2));
  });

  it('a hard bounce makes the reachable BOUNCED, and marks the others', async () => {
    const ben = await person(harness, tenant, { email: 'ben@example.com' });
    const gone = await person(harness, tenant, { email: 'gone@example.com' });
    await harness.data('unsubscribe', { subscriberId: gone.id }, tenant);
    await tell(harness, tenant, [bounced(ben, 'HARD'), bounced(gone, 'HARD'), bounced(ben, 'HARD', daysAgo(1))]);
    expect((await get(ben)).status).toBe('BOUNCED');
    expect((await get(gone)).status).toBe('UNSUBSCRIBED');
    expect(await harness.data('add_subscriber', { email: gone.email }, tenant)).toMatchObject({
      subscriber: { status: 'UNSUBSCRIBED' },
      warnings: [expect.stringContaining('BOUNCED')],
    });
    const listed = await harness.data('list_subscribers', { status: 'BOUNCED' }, tenant);
    expect(listed).toMatchObject({ total: 1, subscribers: [{ email: 'ben@example.com' }] });
    const { events } = await harness.data<{ events: object[] }>('list_subscriber_events', { email: ben.email }, tenant);
    expect(events[0]).toMatchObject({
      type: 'EMAIL_BOUNCED',
      data: { bounceType: 'HARD', bounceCategory: 'NO_SUCH_USER', status: '5.1.1' },
    });
    expect((await projection(ben)).bounced_at).not.toBeNull();
  });

  it.each([
    ['5 sends within 30 days make BOUNCED', [29, 20, 10, 5, 0], 'BOUNCED'],
    ['4 sends do not', [29, 20, 10, 5], 'SUBSCRIBED'],
    ['5 sends over 31 days do not', [31, 20, 10, 5, 0], 'SUBSCRIBED'],
    ['6 sends of which the newest 5 lie within 30 days do, in any order', [0, 31, 29, 5, 10, 20], 'BOUNCED'],
  ])('soft bounces: %s', async (_, days, status) => {
    const one = await person(harness, tenant, { email: `soft${newId('evt')}@example.com` });
    for (const day of days) await tell(harness, tenant, [bounced(one, 'SOFT', daysAgo(day))]);
    expect((await get(one)).status).toBe(status);
    const all = await person(harness, tenant, { email: `all${newId('evt')}@example.com` });
    await tell(
      harness,
      tenant,
      days.map((day) => bounced(all, 'SOFT', daysAgo(day))),
    );
    expect((await get(all)).status).toBe(status);
  });

  it.each([
    [
      'the decision of delivery that it does not',
      'MAILBOX_FULL',
      { cause: 'RATE_LIMIT', counted: false },
      'SUBSCRIBED',
    ],
    ['the decision of delivery that it does', 'TRANSIENT', { cause: 'UNREACHABLE', counted: true }, 'BOUNCED'],
    ['of an older delivery, a full mailbox', 'MAILBOX_FULL', undefined, 'BOUNCED'],
    ['of an older delivery, a policy', 'POLICY', undefined, 'SUBSCRIBED'],
    ['of an older delivery, what may pass', 'TRANSIENT', undefined, 'SUBSCRIBED'],
  ] as const)('whether a soft bounce counts: %s', async (_, bounceCategory, suppression, status) => {
    const one = await person(harness, tenant, { email: `counts${newId('evt')}@example.com` });
    const soft = [5, 4, 3, 2, 1].map((day) => {
      const { name, data } = bounced(one, 'SOFT', daysAgo(day));
      return {
        name,
        data: { ...data, bounceCategory, status: null, reason: 'no', ...(suppression && { suppression }) },
      };
    });
    await tell(harness, tenant, soft as ReportedMail[]);
    expect((await get(one)).status).toBe(status);
    const types = (await historyOf(harness, tenant, one.email)).filter((type) => type === 'EMAIL_BOUNCED');
    expect(types).toHaveLength(5);
  });

  it('of a campaign that arrived when it was tried again say that it was received, until it comes back later', async () => {
    const retrying = await organization(harness);
    const joe = await person(harness, retrying, { email: 'joe@example.com' });
    const matching = async () => {
      const operators = ['RECEIVED', 'NOT_RECEIVED', 'NOT_OPENED', 'BOUNCED'];
      const counts = operators.map((operator) =>
        harness.data<{ total: number }>(
          'count_subscribers',
          { filters: [{ type: 'CAMPAIGN', operator, any: true }] },
          retrying,
        ),
      );
      return (await Promise.all(counts)).flatMap(({ total }, i) => (total === 1 ? operators[i] : []));
    };
    await tell(harness, retrying, [bounced(joe, 'SOFT', daysAgo(3))]);
    expect(await matching()).toEqual(['NOT_RECEIVED', 'BOUNCED']);
    await tell(harness, retrying, [{ name: 'message.sent', data: about(joe, daysAgo(2)) }]);
    expect(await matching()).toEqual(['RECEIVED', 'NOT_OPENED']);
    await tell(harness, retrying, [bounced(joe, 'SOFT', daysAgo(1))]);
    expect(await matching()).toEqual(['NOT_RECEIVED', 'BOUNCED']);
    await tell(harness, retrying, [bounced(joe, 'SOFT', daysAgo(4)), { name: 'message.sent', data: about(joe) }]);
    expect(await matching()).toEqual(['RECEIVED', 'NOT_OPENED']);
  });

  it('bounces of a subscriber’s former address do not affect the current one', async () => {
    const typo = await person(harness, tenant, { email: 'mia@gmial.example' });
    const full = await person(harness, tenant, { email: 'full@example.com' });
    for (const day of [9, 8, 7, 6]) await tell(harness, tenant, [bounced(full, 'SOFT', daysAgo(day))]);
    const moved = { ...typo, email: 'Mia@gmail.example' };
    await harness.data('update_subscriber', { subscriber: typo.id, email: moved.email }, tenant);
    await harness.data('update_subscriber', { subscriber: full.id, email: 'empty@example.com' }, tenant);
    await tell(harness, tenant, [
      ...[bounced(typo, 'HARD'), bounced(full, 'SOFT', daysAgo(5))],
      bounced({ ...full, email: 'empty@example.com' }, 'SOFT'),
    ]);
    expect((await get(typo)).status).toBe('SUBSCRIBED');
    expect((await get(full)).status).toBe('SUBSCRIBED');
    expect(await historyOf(harness, tenant, moved.email)).toContain('EMAIL_BOUNCED');
    // In one batch the bounce of the present address counts, though the other one is newer.
    await tell(harness, tenant, [
      bounced({ ...moved, email: 'mia@GMAIL.example' }, 'HARD', daysAgo(1)),
      bounced(typo, 'HARD'),
    ]);
    expect((await get(typo)).status).toBe('BOUNCED');
  });

  it('of people who are gone, unknown or of another organization leave nothing', async () => {
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com' });
    const nobody = { ...foreign, id: newId('sub') };
    await tell(harness, tenant, [
      { name: 'message.sent', data: about(foreign) },
      { name: 'message.sent', data: about(nobody) },
      { name: 'message.sent', data: { ...about(nobody), subscriberId: null } },
      bounced(foreign, 'HARD'),
      bounced(nobody, 'SOFT'),
    ]);
    expect(await historyOf(harness, otherTenant, foreign.email)).toEqual(['SUBSCRIBED']);
    const seen = await harness.data('get_subscriber', { email: foreign.email }, otherTenant);
    expect(seen).toMatchObject({ subscriber: { status: 'SUBSCRIBED', emailCount: 0 } });
  });

  it('older than the kept months are remembered at the start of the oldest', async () => {
    const old = await person(harness, tenant, { email: 'old@example.com' });
    await tell(harness, tenant, [{ name: 'message.sent', data: about(old, '2020-01-01T00:00:00.000Z') }]);
    expect(await historyOf(harness, tenant, old.email)).toEqual(['SUBSCRIBED', 'EMAIL_SENT']);
  });
});
