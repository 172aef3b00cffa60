import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { organization, person } from '../subscriber-fixture.js';

describe('set_subscriber_ban', () => {
  let harness: Harness;
  let tenant: Tenant;
  let otherTenant: Tenant;
  beforeAll(async () => {
    harness = await Harness.start();
    tenant = await organization(harness);
    otherTenant = await organization(harness);
  });
  afterAll(() => harness.stop());
  const ban = (email: string, banned: boolean, reason?: string) =>
    harness.data('set_subscriber_ban', { email, banned, ...(reason && { reason }) }, tenant);
  const bansOf = async (email: string) =>
    (await harness.data<{ suppressions: object[] }>('get_subscriber_details', { email }, tenant)).suppressions;

  it('bans a subscriber with the reason, and restores the status when the ban is lifted', async () => {
    const { id, email } = await person(harness, tenant, { email: 'abuse@example.com' });
    expect(await ban('ABUSE@example.com', true, 'sells lists')).toEqual({
      email: 'ABUSE@example.com',
      banned: true,
      subscriberId: id,
      status: 'BANNED',
    });
    expect(await bansOf(email)).toMatchObject([{ suppression: 'BANNED', reason: 'sells lists' }]);
    expect(await ban(email, true)).toMatchObject({ status: 'BANNED' });
    expect(await bansOf(email)).toMatchObject([{ reason: 'sells lists' }]);
    expect(await ban(email, false)).toMatchObject({ banned: false, status: 'SUBSCRIBED' });
    expect(await bansOf(email)).toEqual([]);
  });

  it('bans an address in advance, until the ban is lifted', async () => {
    expect(await ban('later@example.com', true)).toMatchObject({ subscriberId: null, status: null });
    expect(await person(harness, tenant, { email: 'later@example.com' })).toMatchObject({ status: 'BANNED' });
    expect(await person(harness, otherTenant, { email: 'later@example.com' })).toMatchObject({ status: 'SUBSCRIBED' });
  });

  it('refuses an invalid address with PARAMETERS_INVALID', async () => {
    expect(await harness.refusal('set_subscriber_ban', { email: 'no address', banned: true }, tenant)).toBe(
      'PARAMETERS_INVALID',
    );
  });

  it('leaves the subscribers of another organization alone', async () => {
    const { email } = await person(harness, tenant, { email: 'shared@example.com' });
    const answer = await harness.data('set_subscriber_ban', { email, banned: true }, otherTenant);
    expect(answer).toMatchObject({ subscriberId: null, status: null });
    expect(await bansOf(email)).toEqual([]);
  });
});
