import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { mark, organization, person } from '../subscriber-fixture.js';

describe('get_subscriber_details', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());
  const details = (who: object, by = tenant) => harness.data<object>('get_subscriber_details', who, by);

  it('returns the subscriber with its country and that all mail reaches it', async () => {
    const subscriber = await person(harness, tenant, { email: 'ada@example.com', country: 'France', tags: ['vip'] });
    expect(await details({ email: 'ADA@example.com' })).toEqual({
      subscriber,
      country: 'FR',
      suppressions: [],
      mailable: { marketing: true, transactional: true, why: null },
    });
  });

  it('names each suppression with its instant, and why mail is withheld', async () => {
    const bounced = await person(harness, tenant, { email: 'bounced@example.com' });
    await mark(harness, bounced, 'hard_bounced');
    await harness.data('set_subscriber_ban', { email: bounced.email, banned: true, reason: 'abuse' }, tenant);
    expect(await details({ subscriberId: bounced.id })).toMatchObject({
      suppressions: [
        { suppression: 'BANNED', since: expect.stringMatching(/Z$/), reason: 'abuse' },
        { suppression: 'BOUNCED', reason: null },
      ],
      mailable: { marketing: false, transactional: false, why: expect.stringContaining('banned') },
    });
  });

  it('says that a former subscriber gets transactional mail only', async () => {
    const { id } = await person(harness, tenant, { email: 'left@example.com' });
    await harness.data('unsubscribe', { subscriberId: id }, tenant);
    expect(await details({ subscriberId: id })).toMatchObject({
      mailable: { marketing: false, transactional: true, why: expect.stringContaining('unsubscribed') },
    });
  });

  it('refuses no identifier, two that disagree, and subscribers of another organization', async () => {
    const one = await person(harness, tenant, { email: 'one@example.com' });
    const two = await person(harness, tenant, { email: 'two@example.com' });
    const refusal = (who: object, by = tenant) => harness.refusal('get_subscriber_details', who, by);
    expect(await refusal({})).toBe('IDENTIFIER_MISSING');
    expect(await refusal({ subscriberId: one.id, email: two.email })).toBe('IDENTIFIERS_DISAGREE');
    expect(await refusal({ subscriberId: newId('sub') })).toBe('SUBSCRIBER_NOT_FOUND');
    for (const who of [{ subscriberId: one.id }, { email: one.email }])
      expect(await refusal(who, otherTenant)).toBe('SUBSCRIBER_NOT_FOUND');
  });
});
