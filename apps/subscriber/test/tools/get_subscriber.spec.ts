import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';
import type { Subscriber } from '../subscriber-fixture.js';

describe('get_subscriber', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  let otherTenant: Tenant;
  let ada: Subscriber;
  beforeAll(async () => {
    tenant = await organization(harness);
    otherTenant = await organization(harness);
    const fields = { City: 'London' };
    ada = await person(harness, tenant, { email: 'Ada@Example.com', name: 'Ada', phone: '+44', tags: ['vip'], fields });
  });

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
      expect(await harness.data('get_subscriber', who, tenant)).toEqual({ subscriber: ada });
    }
  });

  it('refuses no identifier with IDENTIFIER_MISSING and two of different people with IDENTIFIERS_DISAGREE', async () => {
    const bob = await person(harness, tenant, { email: 'bob@example.com' });
    expect(await harness.refusal('get_subscriber', {}, tenant)).toBe('IDENTIFIER_MISSING');
    for (const email of [bob.email, 'nobody@example.com', 'no address']) {
      expect(await harness.refusal('get_subscriber', { subscriberId: ada.id, email }, tenant)).toBe(
        'IDENTIFIERS_DISAGREE',
      );
    }
    expect(await harness.refusal('get_subscriber', { subscriberId: newId('sub'), email: bob.email }, tenant)).toBe(
      'IDENTIFIERS_DISAGREE',
    );
  });

  it('says as what it looked a text up, so that an address in the place of an id is no missing person', async () => {
    const messageFor = async (who: object) => {
      const outcome = await harness.call('get_subscriber', who, tenant);
      return outcome.ok ? '' : outcome.error.message;
    };
    expect(await messageFor({ subscriberId: ada.email })).toContain(`No subscriber with id "${ada.email}"`);
    expect(await messageFor({ email: 'no@example.com' })).toContain('No subscriber with email "no@example.com"');
    expect(await messageFor({ email: ada.id })).toContain(`No subscriber with email "${ada.id}"`);
  });

  it('answers SUBSCRIBER_NOT_FOUND for unknown, malformed and foreign identifiers alike', async () => {
    for (const who of [
      { subscriberId: newId('sub') },
      { subscriberId: 'x' },
      { email: 'no@example.com' },
      { email: 'x' },
    ]) {
      expect(await harness.refusal('get_subscriber', who, tenant)).toBe('SUBSCRIBER_NOT_FOUND');
    }
    for (const who of [{ subscriberId: ada.id }, { email: ada.email }]) {
      expect(await harness.refusal('get_subscriber', who, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
    }
  });
});
