import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, TallyRepository, uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person, tell } from '../subscriber-fixture.js';
import type { Subscriber, ReportedMail } from '../subscriber-fixture.js';

interface Stats {
  total: number;
  byStatus: Record<string, number>;
  growth: Record<'7d' | '30d' | '90d', { subscribed: number; unsubscribed: number; net: number }>;
  engagement: {
    engaged: Record<'30d' | '90d' | '180d', number>;
    everEngaged: number;
    everEmailed: number;
    neverEmailed: number;
  };
}

describe('get_subscriber_stats', () => {
  const harness = useFixture(() => Harness.start());
  let tenant: Tenant;
  const stats = (by = tenant) => harness.data<Stats>('get_subscriber_stats', {}, by);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const about = ({ id, email }: Subscriber, at: string) => ({
    messageId: newId('msg'),
    subscriberId: id,
    campaignId: null,
    campaignName: null,
    subject: 'Hello',
    email,
    at,
    simulated: false,
  });
  const sent = (who: Subscriber, days: number): ReportedMail => ({
    name: 'message.sent',
    data: about(who, daysAgo(days)),
  });
  const opened = (who: Subscriber, days: number): ReportedMail => ({
    name: 'message.opened',
    data: { ...about(who, daysAgo(days)), machine: false, first: false, userAgent: null },
  });
  beforeAll(async () => {
    tenant = await organization(harness);
  });

  it('counts by status and growth in 7, 30 and 90 days', async () => {
    const tenant = await organization(harness);
    await person(harness, tenant, { email: 'a@example.com' });
    await new TallyRepository(harness.dataSource('subscriber')).insert(tenant.organizationId, [
      { metric: 'subscribed', key: '12:00', day: daysAgo(20).slice(0, 10), n: 5 },
      { metric: 'unsubscribed', key: '12:00', day: daysAgo(60).slice(0, 10), n: 2 },
      { metric: 'subscribed', key: '12:00', day: daysAgo(100).slice(0, 10), n: 9 },
    ]);
    expect(await stats(tenant)).toMatchObject({
      total: 1,
      byStatus: { SUBSCRIBED: 1, UNSUBSCRIBED: 0 },
      growth: {
        '7d': { subscribed: 1, unsubscribed: 0, net: 1 },
        '30d': { subscribed: 6, unsubscribed: 0, net: 6 },
        '90d': { subscribed: 6, unsubscribed: 2, net: 4 },
      },
    });
  });

  it('counts each subscriber once, on the last day they opened or clicked, in any order of events', async () => {
    const [ada, ben, cyd] = [
      await person(harness, tenant, { email: 'ada@example.com' }),
      await person(harness, tenant, { email: 'ben@example.com' }),
      await person(harness, tenant, { email: 'cyd@example.com' }),
    ];
    await person(harness, tenant, { email: 'dan@example.com' });
    await tell(harness, tenant, [sent(ada, 200), sent(ben, 100), sent(cyd, 1), opened(ada, 100), opened(ada, 120)]);
    const quiet = { everEmailed: 3, neverEmailed: 1 };
    expect((await stats()).engagement).toEqual({
      engaged: { '30d': 0, '90d': 0, '180d': 1 },
      everEngaged: 1,
      ...quiet,
    });
    await tell(harness, tenant, [opened(ada, 40), opened(ben, 2), opened(ada, 50), sent(ada, 3)]);
    expect((await stats()).engagement).toEqual({
      engaged: { '30d': 1, '90d': 2, '180d': 2 },
      everEngaged: 2,
      ...quiet,
    });
    expect((await stats(await organization(harness))).engagement).toMatchObject({ everEngaged: 0, neverEmailed: 0 });
  });

  it('keeps count of people who are deleted', async () => {
    await harness
      .dataSource('subscriber')
      .query(`delete from subscriber_activity where organization_id = $1`, [uuidOf('org', tenant.organizationId)]);
    expect((await stats()).engagement).toMatchObject({ everEngaged: 0, everEmailed: 0 });
  });
});
