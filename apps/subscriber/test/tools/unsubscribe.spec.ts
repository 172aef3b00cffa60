import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscriberStatuses } from '#contracts';
import { newId, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { historyOf, mark, organization, person } from '../subscriber-fixture.js';

describe('unsubscribe', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
  });
  afterAll(() => tidings.stop());

  it.each(subscriberStatuses)('makes a %s subscriber UNSUBSCRIBED', async (status) => {
    const { id } = await person(tidings, ours, { email: `${status}@example.com` });
    await tidings
      .dataSource('subscriber')
      .query(`update subscriber set status = $2 where subscriber_id = $1`, [uuidOf('sub', id), status]);
    expect(await tidings.data('unsubscribe', { subscriberId: id }, ours)).toEqual({
      subscriber: { id, email: `${status}@example.com`, status: 'UNSUBSCRIBED' },
    });
  });

  it('finds an address that was pasted with marks that nobody sees, as add_subscriber does', async () => {
    const pasted = '\u200bpasted@example.com\u00ad';
    const { id } = await person(tidings, ours, { email: pasted });
    expect(await tidings.data('unsubscribe', { email: pasted }, ours)).toEqual({
      subscriber: { id, email: 'pasted@example.com', status: 'UNSUBSCRIBED' },
    });
  });

  it('records the reason, tells other services, and doing it again changes nothing', async () => {
    const { id } = await person(tidings, ours, { email: 'tell@example.com' });
    await tidings.deliverEvents();
    for (const _ of [1, 2])
      await tidings.data('unsubscribe', { email: 'TELL@example.com', reason: ' too\u0000 many ' }, ours);
    expect(await tidings.deliverEvents()).toMatchObject([
      {
        organizationId: ours.organizationId,
        name: 'subscriber.unsubscribed',
        data: { subscriberId: id, subscriberStatus: 'UNSUBSCRIBED', reason: 'too many', source: 'tools' },
      },
    ]);
    const { events } = await tidings.data<{ events: object[] }>('list_subscriber_events', { subscriberId: id }, ours);
    expect(events[0]).toMatchObject({ type: 'UNSUBSCRIBED', data: { reason: 'too many', source: 'tools' } });
    expect(await historyOf(tidings, ours, 'tell@example.com')).toEqual(['UNSUBSCRIBED', 'SUBSCRIBED']);
  });

  it('keeps a mark: adding the person again saves the fields and warns', async () => {
    const bounced = await person(tidings, ours, { email: 'bad@example.com' });
    await mark(tidings, bounced, 'hard_bounced');
    await tidings.data('unsubscribe', { subscriberId: bounced.id }, ours);
    const again = await tidings.data<{ warnings: string[] }>('add_subscriber', { email: 'bad@example.com' }, ours);
    expect(again).toMatchObject({
      subscriber: { status: 'UNSUBSCRIBED' },
      warnings: [expect.stringContaining('BOUNCED')],
    });
  });

  it('refuses unknown and foreign people, no identifier, and two that disagree', async () => {
    const foreign = await person(tidings, theirs, { email: 'foreign@example.com' });
    const own = await person(tidings, ours, { email: 'own@example.com' });
    for (const who of [{ subscriberId: newId('sub') }, { subscriberId: foreign.id }, { email: foreign.email }]) {
      expect(await tidings.refusal('unsubscribe', who, ours)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    expect(await tidings.refusal('unsubscribe', {}, ours)).toBe('IDENTIFIER_MISSING');
    expect(await tidings.refusal('unsubscribe', { subscriberId: own.id, email: 'tell@example.com' }, ours)).toBe(
      'IDENTIFIERS_DISAGREE',
    );
    expect(await tidings.data('get_subscriber', { email: foreign.email }, theirs)).toMatchObject({
      subscriber: { status: 'SUBSCRIBED' },
    });
  });
});
