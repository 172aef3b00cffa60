import { describe, expect, it } from '@jest/globals';
import { subscriberEventRequests } from '#contracts';
import type { DomainEvent } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('the history as v1 writes and reads it', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const client = () => harness.client(subscriberEventRequests);
  const record = (subscriber: string, eventType: string, data?: Record<string, unknown>, by = tenant) =>
    client().record_subscriber_event({ subscriber, eventType, ...(data && { data }) }, harness.caller(by));
  const page = (subscriber: string, input: object = {}, by = tenant) =>
    client().list_history({ subscriber, ...input }, harness.caller(by));
  const subscriberOf = async (email: string) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, tenant)).subscriber;
  const recorded = async () =>
    (await harness.deliverEvents())
      .filter(({ name }) => name === 'event.recorded')
      .map((event) => (event as DomainEvent<'event.recorded'>).data.eventType);
  const refusalOf = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error: { failure: { reason: string; issues?: { path: unknown[] }[] } }) => error.failure,
    );

  describe('record_subscriber_event', () => {
    it('stores a custom event for an id or an address, and notifies workflows', async () => {
      const { id } = await person(harness, tenant, { email: 'own+tag@example.com' });
      await recorded();
      const data = { plan: 'gold', seats: [1, 2] };
      expect(await record('OWN+tag@example.com', 'Trial started', data)).toEqual({
        event: {
          id: expect.stringMatching(/^evt_/),
          eventType: 'Trial started',
          data,
          subscriberId: id,
          organizationId: tenant.organizationId,
          createdAt: expect.stringMatching(/Z$/),
        },
      });
      expect((await record(id, 'login')).event.data).toEqual({});
      expect(await recorded()).toEqual(['Trial started', 'login']);
      const { events } = await page(id, { eventTypes: ['login', 'Trial started'] });
      expect(events.map(({ eventType }) => eventType)).toEqual(['login', 'Trial started']);
    });

    it('adds payments and subtracts refunds, warns of other currencies, and keeps what else it was given', async () => {
      const { id } = await person(harness, tenant, { email: 'pays@example.com' });
      const paid = await record(id, 'SUBSCRIBER_PAYMENT', { amount: 30, invoice: 'A-1', metadata: { sku: 'x' } });
      expect(paid.event.data).toEqual({ amount: 30, currency: 'USD', invoice: 'A-1', metadata: { sku: 'x' } });
      await record(id, 'SUBSCRIBER_REFUND', { amount: 10.5 });
      expect((await record(id, 'SUBSCRIBER_PAYMENT', { amount: 5, currency: 'eur' })).warnings).toHaveLength(1);
      expect((await record(id, 'SUBSCRIBER_PAYMENT')).warnings).toEqual([expect.stringContaining('No amount')]);
      expect((await subscriberOf('pays@example.com')).revenue).toBe(19.5);
      expect(await recorded()).toHaveLength(4);
    });

    it('only notes other types of the history, with the source api', async () => {
      const { id } = await person(harness, tenant, { email: 'noted@example.com' });
      await recorded();
      for (const type of ['EMAIL_OPENED', 'EMAIL_BOUNCED', 'UNSUBSCRIBED', 'SUBSCRIBED']) {
        expect((await record(id, type, { from: 'elsewhere' })).event.data).toEqual({
          from: 'elsewhere',
          source: 'api',
        });
      }
      expect(await subscriberOf('noted@example.com')).toMatchObject({ status: 'SUBSCRIBED', openCount: 0 });
      expect(await recorded()).toEqual([]);
      expect(
        (await harness.data<{ days: unknown[]; totals: object }>('get_subscriber_growth', { days: 1 }, tenant)).totals,
      ).toMatchObject({ unsubscribed: 0 });
    });

    it('refuses unknown and foreign people, names that are none, and amounts that are none', async () => {
      const { id } = await person(harness, tenant, { email: 'refused@example.com' });
      for (const who of [newId('sub'), 'nobody@example.com', 'nonsense']) {
        expect(await refusalOf(record(who, 'login'))).toMatchObject({ reason: 'SUBSCRIBER_NOT_FOUND' });
      }
      expect(await refusalOf(record(id, 'login', {}, otherTenant))).toMatchObject({ reason: 'SUBSCRIBER_NOT_FOUND' });
      expect(await refusalOf(record(id, '<b>'))).toMatchObject({ reason: 'PARAMETERS_INVALID' });
      expect(await refusalOf(record(id, 'login', { text: 'x'.repeat(70_000) }))).toMatchObject({
        reason: 'PARAMETERS_INVALID',
      });
      for (const amount of [-1, '5', Number.MAX_VALUE]) {
        expect(await refusalOf(record(id, 'SUBSCRIBER_PAYMENT', { amount }))).toMatchObject({
          reason: 'PARAMETERS_INVALID',
          issues: [{ path: ['data', 'amount'] }],
        });
      }
    });
  });

  describe('list_history', () => {
    it('walks all lines once in both orders, although some share a moment, and a line of the cursor is gone', async () => {
      const { id, email } = await person(harness, tenant, { email: 'walks@example.com', tags: ['a', 'b', 'c', 'd'] });
      for (let n = 0; n < 3; n++) await record(id, `step ${n}`);
      const all = (await page(id, { take: 100 })).events;
      expect(all).toHaveLength(8);
      expect(all[0]).toMatchObject({ eventType: 'step 2', subscriber: { id, email, name: null } });
      for (const order of ['ASC', 'DESC']) {
        const walked: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const { events, nextCursor } = await page(email, { order, take: 3, ...(cursor && { cursor }) });
          walked.push(...events.map((event) => event.id));
          cursor = nextCursor;
        }
        const expected = all.map((event) => event.id);
        expect(walked).toEqual(order === 'DESC' ? expected : expected.reverse());
      }
      const { nextCursor } = await page(id, { take: 3 });
      await harness
        .dataSource('subscriber')
        .query(`delete from subscriber_event where data::text = '{}' and type = 'step 0'`);
      expect((await page(id, { cursor: nextCursor! })).events).toHaveLength(5);
    });

    it('narrows by types, time and text', async () => {
      const { id } = await person(harness, tenant, { email: 'narrow@example.com', tags: ['Percent%'] });
      await record(id, 'login', { city: 'Österreich' });
      const { events } = await page(id);
      const at = events[0]!.createdAt;
      const typesOf = async (input: object) => (await page(id, input)).events.map(({ eventType }) => eventType);
      expect(await typesOf({ eventTypes: ['login', 'TAG_ADDED'] })).toEqual(['login', 'TAG_ADDED']);
      expect(await typesOf({ search: 'öster' })).toEqual(['login']);
      expect(await typesOf({ search: 'percent%' })).toEqual(['TAG_ADDED']);
      expect(await typesOf({ search: '_' })).toEqual(['TAG_ADDED']);
      expect(await typesOf({ startDate: at })).toContain('login');
      expect(await typesOf({ endDate: new Date(Date.parse(events.at(-1)!.createdAt) - 1).toISOString() })).toEqual([]);
    });

    it('refuses unknown and foreign people, and a cursor of something else', async () => {
      const { id } = await person(harness, tenant, { email: 'read@example.com' });
      expect(await refusalOf(page(id, {}, otherTenant))).toMatchObject({ reason: 'SUBSCRIBER_NOT_FOUND' });
      expect(await refusalOf(page('nobody@example.com'))).toMatchObject({ reason: 'SUBSCRIBER_NOT_FOUND' });
      for (const cursor of ['', 'x', newId('evt'), `2026-01-01T00:00:00.000Z/${newId('sub')}`]) {
        expect(await refusalOf(page(id, { cursor }))).toMatchObject({ reason: 'PARAMETERS_INVALID' });
      }
    });
  });
});
