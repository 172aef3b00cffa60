import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceCaller } from '#bus';
import { domainRequests, seriesCounters } from '#contracts';
import type { EventData, EventName, SeriesCounts } from '#contracts';
import { newId, newSendUuid, newUuid, uuidOf, wireId } from '#database';
import { Outbox, settledData } from '#events';
import { markdown, template } from '../send-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';
import { Harness } from '../../../../test/harness/harness.js';
import type { Tenant } from '../../../../test/harness/harness.js';

interface Series {
  points: (SeriesCounts & { at: string })[];
  timezone: string;
}

const hourMs = 3_600_000;
/** The beginning of an hour of yesterday. */
const hour = (n: number): string =>
  new Date(Math.floor(Date.now() / (24 * hourMs)) * 24 * hourMs - (24 - n) * hourMs).toISOString();

describe('get_engagement_series', () => {
  const harness = useFixture(() => Harness.start());
  let [tenant, otherTenant] = [] as unknown as [Tenant, Tenant];
  let campaignId: string;

  const organization = async (name: string): Promise<Tenant> => {
    const made = await harness.client(domainRequests).create_organization({ name }, serviceCaller('', 'spec'));
    return { organizationId: made.organization.id };
  };

  /** Emits events of the delivery service, and applies them everywhere. */
  async function emit<N extends EventName>(name: N, data: readonly EventData<N>[]): Promise<void> {
    const outbox = new Outbox('delivery');
    for (const one of data) outbox.add(tenant.organizationId, name, one, 'spec');
    await outbox.flush(harness.dataSource('delivery').manager);
    await harness.deliverEvents();
  }

  const about = (campaign: string | null, at: string): EventData<'message.sent'> => ({
    messageId: newId('msg'),
    subscriberId: newId('sub'),
    campaignId: campaign,
    campaignName: campaign && 'News',
    subject: 'Hello',
    email: 'ada@example.com',
    at,
    simulated: false,
  });

  beforeAll(async () => {
    [tenant, otherTenant] = [await organization('Bakery'), await organization('Brewery')];
    ({ campaignId } = await harness.data<{ campaignId: string }>('create_campaign', { subject: 'News' }, tenant));
    const workflowEmail = newId('cmp');
    for (const [id, pages] of [
      [campaignId, 1],
      [workflowEmail, 0],
    ] as const)
      await harness.dataSource('delivery').query(
        `insert into send (organization_id, send_id, campaign_id, campaign_name, audience_id, template, sender, reply_to,
           organization_name, state, total, pages, period, finished_at)
         values ($1, $2, $3, 'News', $2, $5, '{}', null, 'Bakery', 'DONE', 0, $4, date_trunc('month', now()), now())`,
        [uuidOf('org', tenant.organizationId), newUuid(), uuidOf('cmp', id), pages, JSON.stringify(template(markdown))],
      );
    const bounce = { bounceCategory: 'OTHER' as const, reason: '', provider: null, status: null };
    const person = { machine: false, userAgent: null };
    const of = (at: string, count: number) => Array.from({ length: count }, () => about(campaignId, at));
    const settled = [0, 1].map((position) => ({
      position,
      subscriberId: newId('sub'),
      outcome: 'DELIVERED' as const,
      variant: null,
      destination: 'other',
      simulated: false,
      subjectValues: null,
    }));
    await emit('messages.settled', [
      settledData({ sendId: wireId('send', newSendUuid()), campaignId, chunk: 0, at: hour(2) }, settled),
    ]);
    await emit('message.sent', [...of(hour(2), 2), about(workflowEmail, hour(3)), about(null, hour(5))]);
    await emit('message.delivered', [...of(hour(2), 1), about(workflowEmail, hour(3)), about(null, hour(5))]);
    await emit('message.bounced', [
      { ...about(campaignId, hour(6)), ...bounce, bounceType: 'HARD', countedAs: 'DELIVERED' },
      { ...about(campaignId, hour(2)), ...bounce, bounceType: 'SOFT' },
    ]);
    await emit('send.retried', [{ sendId: newId('send'), campaignId, softBounces: 1, at: hour(6) }]);
    await emit('message.complained', [{ ...about(null, hour(6)), complaintFeedbackType: null, provider: null }]);
    await emit('message.opened', [
      { ...about(campaignId, hour(4)), ...person, first: true },
      { ...about(campaignId, hour(4)), ...person, first: false },
      { ...about(campaignId, hour(4)), ...person, machine: true, first: true },
    ]);
    await emit('message.clicked', [
      { ...about(workflowEmail, hour(4)), ...person, url: 'https://a.example/', first: true, firstOfLink: true },
    ]);
    const left = { subscriberStatus: 'UNSUBSCRIBED' as const, triggerWorkflows: true, reason: null };
    const ways = [
      { campaignId, messageId: newId('msg'), source: 'one-click' },
      { campaignId: null, messageId: null, source: 'api' },
    ];
    await emit(
      'subscriber.unsubscribed',
      ways.map((way) => ({
        ...left,
        ...way,
        subscriberId: newId('sub'),
        occurredAt: hour(6),
        cause: { kind: 'link', id: null },
      })),
    );
  });

  const series = (input: object = {}, of = tenant) =>
    harness.data<Series>('get_engagement_series', { interval: 'HOUR', ...input }, of);
  const sums = ({ points }: Series) =>
    Object.fromEntries(seriesCounters.map((name) => [name, points.reduce((sum, point) => sum + point[name], 0)]));

  it('sums to get_deliverability_health for all mail, and to get_campaign_series for campaigns', async () => {
    const health = await harness.data<Record<string, number>>('get_deliverability_health', { sinceDays: 30 }, tenant);
    const all = sums(await series({ interval: 'DAY' }));
    expect(all).toMatchObject({ delivered: health.delivered, complained: health.complained });
    // The health also counts a refusal at once as sent.
    expect(all.sent! + 1).toBe(health.sent);
    const campaign = await harness.data<Series>('get_campaign_series', { campaignId, interval: 'HOUR' }, tenant);
    expect(sums(await series({ kind: 'CAMPAIGN' }))).toEqual(sums(campaign));
    expect(all).toEqual({
      sent: 6,
      delivered: 4,
      bounced: 1,
      complained: 1,
      unsubscribed: 1,
      opens: 2,
      uniqueOpens: 1,
      clicks: 1,
      uniqueClicks: 1,
    });
  });

  it('counts each kind of mail alone, and the kinds sum to the whole', async () => {
    const [campaign, workflow, transactional] = await Promise.all(
      ['CAMPAIGN', 'WORKFLOW', 'TRANSACTIONAL'].map(async (kind) => sums(await series({ kind }))),
    );
    expect(workflow).toMatchObject({ sent: 1, delivered: 1, clicks: 1, opens: 0 });
    expect(transactional).toMatchObject({ sent: 1, delivered: 1, complained: 1 });
    const all = sums(await series());
    for (const name of seriesCounters)
      expect(campaign![name]! + workflow![name]! + transactional![name]!).toBe(all[name]);
  });

  it('has every hour or day of its range, with zeros for gaps and no negative numbers', async () => {
    const { points } = await series({ from: hour(1), to: hour(8) });
    expect(points.map(({ at, sent }) => [at, sent])).toEqual(
      [0, 4, 1, 0, 1, 0, 0].map((sent, n) => [hour(1 + n), sent]),
    );
    for (const point of points) for (const name of seriesCounters) expect(point[name]).toBeGreaterThanOrEqual(0);
    expect((await series({ interval: 'DAY' })).points.length).toBeGreaterThanOrEqual(30);
  });

  it('refuses more than 1,000 points and more than 400 days with RANGE_TOO_LONG, a reversed range with PARAMETERS_INVALID', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * hourMs).toISOString();
    const refusal = (input: object) => harness.refusal('get_engagement_series', input, tenant);
    expect(await refusal({ interval: 'HOUR', from: daysAgo(60) })).toBe('RANGE_TOO_LONG');
    expect(await refusal({ interval: 'DAY', from: daysAgo(401) })).toBe('RANGE_TOO_LONG');
    expect(await refusal({ interval: 'DAY', from: daysAgo(1), to: daysAgo(2) })).toBe('PARAMETERS_INVALID');
    expect((await series({ interval: 'DAY', from: daysAgo(399) })).points.length).toBeGreaterThanOrEqual(399);
  });

  it('has zeros for another organization', async () => {
    expect(Object.values(sums(await series({}, otherTenant)))).toEqual(seriesCounters.map(() => 0));
  });
});
