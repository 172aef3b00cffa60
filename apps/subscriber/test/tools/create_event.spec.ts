import { describe, expect, it } from '@jest/globals';
import { domainRequests } from '#contracts';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('create_event', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));
  const record = (input: object, by = tenant) =>
    harness.data<{ event: { id: string; data: object }; warnings?: string[] }>('create_event', input, by);
  const revenueOf = async (email: string, by = tenant) =>
    (await harness.data<{ subscriber: Subscriber }>('get_subscriber', { email }, by)).subscriber.revenue;

  it('adds payments to the revenue, subtracts refunds, and keeps both in the history', async () => {
    const { id } = await person(harness, tenant, { email: 'ada@example.com' });
    const metadata = { order: 'A-1', lines: [{ sku: 'x' }] };
    const paid = await record({ email: 'ADA@example.com', eventType: 'SUBSCRIBER_PAYMENT', amount: 49.9, metadata });
    expect(paid).toEqual({
      event: {
        id: expect.stringMatching(/^evt_/),
        type: 'SUBSCRIBER_PAYMENT',
        subscriberId: id,
        data: { amount: 49.9, currency: 'USD', metadata },
        createdAt: expect.stringMatching(/Z$/),
      },
    });
    await record({ subscriberId: id, eventType: 'subscriber_payment', amount: 0.1, currency: 'usd' });
    await record({ subscriberId: id, eventType: 'SUBSCRIBER_REFUND', amount: 20 });
    expect(await revenueOf('ada@example.com')).toBe(30);
    const { events } = await harness.data<{ events: { id: string; type: string; data: object }[] }>(
      ...(['list_subscriber_events', { email: 'ada@example.com', eventType: 'SUBSCRIBER_PAYMENT' }, tenant] as const),
    );
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({ id: paid.event.id, data: paid.event.data });
  });

  it('sums cents exactly', async () => {
    await person(harness, tenant, { email: 'cents@example.com' });
    const pay = { email: 'cents@example.com', eventType: 'SUBSCRIBER_PAYMENT', amount: 0.1 };
    await Promise.all(Array.from({ length: 10 }, () => record(pay)));
    expect(await revenueOf('cents@example.com')).toBe(1);
  });

  it("records another currency than the organization's with a warning, and does not count it", async () => {
    const euro = await organization(harness);
    await harness
      .client(domainRequests)
      .set_organization({ ...euro, currency: 'EUR' }, harness.caller({ organizationId: '' }));
    await person(harness, euro, { email: 'euro@example.com' });
    const pay = { email: 'euro@example.com', eventType: 'SUBSCRIBER_PAYMENT', amount: 5 };
    expect((await record(pay, euro)).warnings).toEqual([expect.stringContaining('EUR')]);
    expect(await record({ ...pay, currency: 'eur' }, euro)).not.toHaveProperty('warnings');
    expect(await revenueOf('euro@example.com', euro)).toBe(5);
  });

  it('records 0 with a warning if no amount is given, and refuses an invalid one', async () => {
    await person(harness, tenant, { email: 'free@example.com' });
    const event = { email: 'free@example.com', eventType: 'SUBSCRIBER_PAYMENT' };
    expect(await record(event)).toMatchObject({ event: { data: { amount: 0 } }, warnings: [expect.any(String)] });
    for (const wrong of [{ amount: -1 }, { amount: '5' }, { currency: 'EURO' }, { eventType: 'SUBSCRIBED' }]) {
      expect(await harness.refusal('create_event', { ...event, ...wrong }, tenant)).toBe('PARAMETERS_INVALID');
    }
  });

  it('refuses unknown and foreign people, no identifier, and two that disagree', async () => {
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com' });
    const own = await person(harness, tenant, { email: 'own@example.com' });
    const refused = (who: object) =>
      harness.refusal('create_event', { ...who, eventType: 'SUBSCRIBER_PAYMENT', amount: 1 }, tenant);
    for (const who of [{ subscriberId: newId('sub') }, { subscriberId: foreign.id }, { email: foreign.email }]) {
      expect(await refused(who)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    expect(await refused({})).toBe('IDENTIFIER_MISSING');
    expect(await refused({ subscriberId: own.id, email: 'ada@example.com' })).toBe('IDENTIFIERS_DISAGREE');
    expect(await revenueOf('foreign@example.com', otherTenant)).toBe(0);
  });
});
