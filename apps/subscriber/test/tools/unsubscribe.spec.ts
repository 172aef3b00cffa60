import { describe, expect, it } from '@jest/globals';
import { subscriberStatuses } from '#contracts';
import { newId, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { historyOf, mark, organization, person } from '../subscriber-fixture.js';

describe('unsubscribe', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const otherTenant = useFixture(() => organization(harness));

  it.each(subscriberStatuses)('makes a %s subscriber UNSUBSCRIBED', async (status) => {
    const { id } = await person(harness, tenant, { email: `${status}@example.com` });
    await harness
      .dataSource('subscriber')
      .query(`update subscriber set status = $2 where subscriber_id = $1`, [uuidOf('sub', id), status]);
    expect(await harness.data('unsubscribe', { subscriberId: id }, tenant)).toEqual({
      subscriber: { id, email: `${status}@example.com`, status: 'UNSUBSCRIBED' },
    });
  });

  it('finds an address that was pasted with invisible characters, as add_subscriber does', async () => {
    const pasted = '\u200bpasted@example.com\u00ad';
    const { id } = await person(harness, tenant, { email: pasted });
    expect(await harness.data('unsubscribe', { email: pasted }, tenant)).toEqual({
      subscriber: { id, email: 'pasted@example.com', status: 'UNSUBSCRIBED' },
    });
  });

  it('records the reason, notifies other services, and changes nothing when repeated', async () => {
    const { id } = await person(harness, tenant, { email: 'tell@example.com' });
    await harness.deliverEvents();
    for (const _ of [1, 2])
      await harness.data('unsubscribe', { email: 'TELL@example.com', reason: ' too\u0000 many ' }, tenant);
    expect(await harness.deliverEvents()).toMatchObject([
      {
        organizationId: tenant.organizationId,
        name: 'subscriber.unsubscribed',
        data: { subscriberId: id, subscriberStatus: 'UNSUBSCRIBED', reason: 'too many', source: 'tools' },
      },
    ]);
    const { events } = await harness.data<{ events: object[] }>('list_subscriber_events', { subscriberId: id }, tenant);
    expect(events[0]).toMatchObject({ type: 'UNSUBSCRIBED', data: { reason: 'too many', source: 'tools' } });
    expect(await historyOf(harness, tenant, 'tell@example.com')).toEqual(['UNSUBSCRIBED', 'SUBSCRIBED']);
  });

  it('keeps a mark: adding the person again saves the fields and warns', async () => {
    const bounced = await person(harness, tenant, { email: 'bad@example.com' });
    await mark(harness, bounced, 'hard_bounced');
    await harness.data('unsubscribe', { subscriberId: bounced.id }, tenant);
    const again = await harness.data<{ warnings: string[] }>('add_subscriber', { email: 'bad@example.com' }, tenant);
    expect(again).toMatchObject({
      subscriber: { status: 'UNSUBSCRIBED' },
      warnings: [expect.stringContaining('BOUNCED')],
    });
  });

  it('refuses unknown and foreign people, no identifier, and two that disagree', async () => {
    const foreign = await person(harness, otherTenant, { email: 'foreign@example.com' });
    const own = await person(harness, tenant, { email: 'own@example.com' });
    for (const who of [{ subscriberId: newId('sub') }, { subscriberId: foreign.id }, { email: foreign.email }]) {
      expect(await harness.refusal('unsubscribe', who, tenant)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    expect(await harness.refusal('unsubscribe', {}, tenant)).toBe('IDENTIFIER_MISSING');
    expect(await harness.refusal('unsubscribe', { subscriberId: own.id, email: 'tell@example.com' }, tenant)).toBe(
      'IDENTIFIERS_DISAGREE',
    );
    expect(await harness.data('get_subscriber', { email: foreign.email }, otherTenant)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
  });
});
