import { describe, expect, it } from '@jest/globals';
import { uuidOf } from '#database';
import { Harness } from '../../../../test/harness/harness.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { organization, person } from '../subscriber-fixture.js';

interface Stats {
  subscribers: { total: number; byStatus: Record<string, number> };
  campaigns: object;
  resources: object;
}

const none = { DRAFT: 0, SCHEDULED: 0, SENDING: 0, SENT: 0, ARCHIVED: 0, FAILED: 0 };

describe('get_org_stats', () => {
  const harness = useFixture(() => Harness.start());
  const tenant = useFixture(() => organization(harness));
  const stats = (by = tenant) => harness.data<Stats>('get_org_stats', {}, by);

  it('counts subscribers by status, campaigns with their rates, and resources', async () => {
    await person(harness, tenant, { email: 'a@example.com', tags: ['x', 'y'], fields: { City: 'Rome' } });
    await person(harness, tenant, { email: 'b@example.com' });
    await harness.data('unsubscribe', { email: 'b@example.com' }, tenant);
    await harness.data('create_segment', { name: 'All' }, tenant);
    const campaigns = [await campaign(), await campaign(), await campaign()];
    await harness.data('schedule_campaign', { campaignId: campaigns[2], date: '2037-01-01' }, tenant);
    // Two lanes of one campaign, one lane of another: each campaign weighs the same.
    await statistic(campaigns[0]!, 0, { sent: 60, delivered: 50, opens: 20, clicks: 10 });
    await statistic(campaigns[0]!, 1, { sent: 60, delivered: 50, opens: 20, clicks: 0 });
    await statistic(campaigns[1]!, 0, { sent: 10, delivered: 10, opens: 2, clicks: 0 });
    expect(await stats()).toEqual({
      subscribers: { total: 2, byStatus: expect.objectContaining({ SUBSCRIBED: 1, UNSUBSCRIBED: 1, BANNED: 0 }) },
      campaigns: {
        total: 3,
        byStatus: { ...none, DRAFT: 2, SCHEDULED: 1 },
        sent: 130,
        averageOpenRate: 0.3,
        averageClickRate: 0.05,
      },
      resources: { tags: 2, segments: 1, workflows: 0, snippets: 0, customFields: 1 },
    });
  });

  it('shows nothing of another organization', async () => {
    expect(await stats(await organization(harness))).toMatchObject({
      subscribers: { total: 0 },
      campaigns: { total: 0, byStatus: none, sent: 0, averageOpenRate: 0, averageClickRate: 0 },
      resources: { tags: 0, segments: 0, workflows: 0, snippets: 0, customFields: 0 },
    });
  });

  it('says so when an owner does not answer, rather than showing nothing of theirs', async () => {
    const refusal = () => harness.refusal('get_org_stats', {}, tenant);
    expect(await harness.bus.without('campaign', refusal)).toBe('SERVICE_UNAVAILABLE');
  });

  const content = {
    type: 'doc',
    content: [
      {
        type: 'footer',
        content: [
          { type: 'text', text: 'Unsubscribe', marks: [{ type: 'link', attrs: { href: '{{unsubscribeUrl}}' } }] },
        ],
      },
    ],
  };
  const campaign = async () =>
    (await harness.data<{ campaignId: string }>('create_campaign', { subject: 'Hello', content }, tenant)).campaignId;
  const statistic = (
    campaignId: string,
    lane: number,
    { sent, delivered, opens, clicks }: Record<'sent' | 'delivered' | 'opens' | 'clicks', number>,
  ) =>
    harness
      .dataSource('campaign')
      .query(
        `insert into campaign_stat (organization_id, campaign_id, lane, sent, delivered, unique_opens, unique_clicks) values ($1, $2, $3, $4, $5, $6, $7)`,
        [uuidOf('org', tenant.organizationId), uuidOf('cmp', campaignId), lane, sent, delivered, opens, clicks],
      );
});
