import { describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Growth {
  days: { date: string; subscribed: number; unsubscribed: number; net: number }[];
  totals: { subscribed: number; unsubscribed: number; net: number };
}

describe('get_subscriber_growth', () => {
  const harness = useFixture(() => Harness.start());
  const growth = async (tenant: Tenant, input: object, now = new Date()) => {
    const outcome = await harness.call('get_subscriber_growth', input, tenant, { now });
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.data as Growth;
  };
  const counted = (tenant: Tenant, metric: string, at: string, n: number) =>
    harness
      .dataSource('subscriber')
      .query(`insert into tally (organization_id, metric, key, day, n) values ($1, $2, $3, $4, $5)`, [
        ...[uuidOf('org', tenant.organizationId), metric, at.slice(11, 16), at.slice(0, 10), n],
      ]);

  it('answers thirty days ending today, those without a change too', async () => {
    const tenant = await organization(harness);
    for (const name of ['a', 'b']) await person(harness, tenant, { email: `${name}@example.com` });
    await harness.data('unsubscribe', { email: 'a@example.com' }, tenant);
    await person(harness, tenant, { email: 'a@example.com' });
    const { days, totals } = await growth(tenant, {});
    expect(days).toHaveLength(30);
    expect(new Set(days.map(({ date }) => date)).size).toBe(30);
    expect(totals).toEqual({ subscribed: 3, unsubscribed: 1, net: 2 });
    expect(days[0]).toMatchObject({ subscribed: 0, unsubscribed: 0, net: 0 });
    expect((await growth(await organization(harness), {})).totals).toEqual({ subscribed: 0, unsubscribed: 0, net: 0 });
  });

  it("cuts days where the organization's time zone does, also at a quarter of an hour", async () => {
    const now = new Date('2025-03-10T12:00:00Z');
    const changes = ['2025-03-08T18:00:00Z', '2025-03-08T18:15:00Z', '2025-03-09T23:45:00Z', '2025-03-10T03:45:00Z'];
    const daysIn = async (timezone: string) => {
      const tenant = await organization(harness, { timezone });
      for (const at of changes) await counted(tenant, 'subscribed', at, 1);
      await counted(tenant, 'unsubscribed', changes[1]!, 2);
      return (await growth(tenant, { days: 3 }, now)).days.map(({ date, net }) => [date, net]);
    };
    // Midnight in Kathmandu is 18:15 UTC.
    expect(await daysIn('Asia/Kathmandu')).toEqual([
      ['2025-03-08', 1],
      ['2025-03-09', -1],
      ['2025-03-10', 2],
    ]);
    // The clocks of New York changed on the 9th: its midnight was 05:00, then 04:00 UTC.
    expect(await daysIn('America/New_York')).toEqual([
      ['2025-03-08', 0],
      ['2025-03-09', 2],
      ['2025-03-10', 0],
    ]);
  });

  it('takes 1 to 366 days', async () => {
    const tenant = await organization(harness);
    expect((await growth(tenant, { days: 366 })).days).toHaveLength(366);
    for (const days of [0, 367])
      expect(await harness.refusal('get_subscriber_growth', { days }, tenant)).toBe('PARAMETERS_INVALID');
  });
});
