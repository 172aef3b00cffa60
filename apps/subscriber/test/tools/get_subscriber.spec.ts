import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('get_subscriber', () => {
  let tidings: Harness;
  let ours: Tenant;
  let theirs: Tenant;
  let ada: Subscriber;
  beforeAll(async () => {
    tidings = await Harness.start();
    ours = await organization(tidings);
    theirs = await organization(tidings);
    const fields = { City: 'London' };
    ada = await person(tidings, ours, { email: 'Ada@Example.com', name: 'Ada', phone: '+44', tags: ['vip'], fields });
  });
  afterAll(() => tidings.stop());

  it('shows everything of one subscriber, by id, by address in any case, or by both', async () => {
    expect(ada).toMatchObject({
      email: 'Ada@Example.com',
      name: 'Ada',
      phone: '+44',
      status: 'SUBSCRIBED',
      customFields: { City: 'London' },
      tags: [{ name: 'vip' }],
      revenue: 0,
      emailCount: 0,
      openCount: 0,
      clickCount: 0,
    });
    for (const who of [
      { subscriberId: ada.id },
      { email: 'ADA@example.com' },
      { subscriberId: ada.id, email: ada.email },
    ]) {
      expect(await tidings.data('get_subscriber', who, ours)).toEqual({ subscriber: ada });
    }
  });

  it('refuses no identifier with IDENTIFIER_MISSING and two of different people with IDENTIFIERS_DISAGREE', async () => {
    const bob = await person(tidings, ours, { email: 'bob@example.com' });
    expect(await tidings.refusal('get_subscriber', {}, ours)).toBe('IDENTIFIER_MISSING');
    for (const email of [bob.email, 'nobody@example.com', 'no address']) {
      expect(await tidings.refusal('get_subscriber', { subscriberId: ada.id, email }, ours)).toBe(
        'IDENTIFIERS_DISAGREE',
      );
    }
    expect(await tidings.refusal('get_subscriber', { subscriberId: newId('sub'), email: bob.email }, ours)).toBe(
      'IDENTIFIERS_DISAGREE',
    );
  });

  it('says as what it looked a text up, so that an address in the place of an id is no missing person', async () => {
    const told = async (who: object) => {
      const outcome = await tidings.call('get_subscriber', who, ours);
      return outcome.ok ? '' : outcome.error.message;
    };
    expect(await told({ subscriberId: ada.email })).toContain(`No subscriber with the id "${ada.email}"`);
    expect(await told({ email: 'no@example.com' })).toContain('No subscriber with the email "no@example.com"');
    expect(await told({ email: ada.id })).toContain(`No subscriber with the email "${ada.id}"`);
  });

  it('answers SUBSCRIBER_NOT_FOUND for unknown, malformed and foreign identifiers alike', async () => {
    for (const who of [
      { subscriberId: newId('sub') },
      { subscriberId: 'x' },
      { email: 'no@example.com' },
      { email: 'x' },
    ]) {
      expect(await tidings.refusal('get_subscriber', who, ours)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    for (const who of [{ subscriberId: ada.id }, { email: ada.email }]) {
      expect(await tidings.refusal('get_subscriber', who, theirs)).toBe('SUBSCRIBER_NOT_FOUND');
    }
  });
});
