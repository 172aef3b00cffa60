import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seriesCounters } from '#contracts';
import type { EventData, SeriesCounts } from '#contracts';
import { newId, uuidOf } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';

interface Series {
  points: (SeriesCounts & { at: string })[];
  timezone: string;
}
interface Analytics {
  sent: number;
  delivered: number;
  opens: { unique: number; total: number };
  clicks: { unique: number; total: number };
  unsubscribed: number;
  bounced: { hard: number; soft: number };
  complained: number;
  timeline: { hour: string }[];
}

describe('get_campaign_series', () => {
  let fixture: CampaignFixture;
  let campaignId: string;
  const about = (at: string): EventData<'message.sent'> => ({
    messageId: newId('msg'),
    subscriberId: newId('sub'),
    campaignId,
    campaignName: 'Spring news',
    subject: 'Hello',
    email: 'ada@example.com',
    at,
    simulated: false,
  });
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
    campaignId = (await fixture.draft()).id;
    const [ten, eleven, tomorrow] = [
      '2026-05-01T10:15:00.000Z',
      '2026-05-01T11:59:00.000Z',
      '2026-05-02T08:00:00.000Z',
    ];
    const bounce = { bounceCategory: 'OTHER' as const, reason: '', provider: null, status: null };
    const person = { machine: false, userAgent: null };
    await fixture.hear('message.sent', [ten, ten, ten, eleven].map(about));
    await fixture.hear('message.delivered', [ten, ten, eleven].map(about));
    await fixture.hear('message.bounced', [
      { ...about(tomorrow), ...bounce, bounceType: 'HARD', countedAs: 'DELIVERED' },
      { ...about(ten), ...bounce, bounceType: 'SOFT' },
      { ...about(eleven), ...bounce, bounceType: 'SOFT' },
    ]);
    await fixture.hear('send.retried', [{ sendId: newId('send'), campaignId, softBounces: 1, at: tomorrow }]);
    await fixture.hear('message.complained', [{ ...about(tomorrow), complaintFeedbackType: null, provider: null }]);
    await fixture.hear('message.opened', [
      { ...about(eleven), ...person, first: true },
      { ...about(tomorrow), ...person, first: false },
      { ...about(tomorrow), ...person, machine: true, first: true },
    ]);
    await fixture.hear('message.clicked', [
      { ...about(tomorrow), ...person, url: 'https://a.example/', first: true, firstOfLink: true },
    ]);
    const left: EventData<'subscriber.unsubscribed'> = {
      subscriberId: newId('sub'),
      subscriberStatus: 'UNSUBSCRIBED',
      triggerWorkflows: true,
      campaignId,
      occurredAt: tomorrow,
      cause: { kind: 'link', id: null },
      reason: null,
      source: 'one-click',
      messageId: null,
    };
    await fixture.hear('subscriber.unsubscribed', [left]);
  });
  afterAll(() => fixture.close());

  const series = (input: object) =>
    fixture.harness.data<Series>('get_campaign_series', { campaignId, ...input }, fixture.tenant);
  const refusal = (input: object, tenant = fixture.tenant) =>
    fixture.harness.refusal('get_campaign_series', { campaignId, interval: 'HOUR', ...input }, tenant);
  const sums = ({ points }: Series) =>
    Object.fromEntries(seriesCounters.map((name) => [name, points.reduce((sum, point) => sum + point[name], 0)]));

  it.each(['HOUR', 'DAY'])('sums to get_campaign_analytics by %s, without negative points', async (interval) => {
    const found = await series({ interval });
    const analytics = await fixture.harness.data<Analytics>('get_campaign_analytics', { campaignId }, fixture.tenant);
    expect(sums(found)).toEqual({
      sent: analytics.sent,
      delivered: analytics.delivered,
      bounced: analytics.bounced.hard + analytics.bounced.soft,
      complained: analytics.complained,
      unsubscribed: analytics.unsubscribed,
      opens: analytics.opens.total,
      uniqueOpens: analytics.opens.unique,
      clicks: analytics.clicks.total,
      uniqueClicks: analytics.clicks.unique,
    });
    expect(sums(found)).toMatchObject({ sent: 4, delivered: 2, bounced: 2, opens: 2 });
    for (const point of found.points) for (const name of seriesCounters) expect(point[name]).toBeGreaterThanOrEqual(0);
  });

  it('has every hour from the first number to the last, with zeros for gaps', async () => {
    const { points } = await series({ interval: 'HOUR' });
    expect(points).toHaveLength(23);
    expect(points[0]).toMatchObject({ at: '2026-05-01T10:00:00.000Z', sent: 3 });
    expect(points[5]).toEqual({
      at: '2026-05-01T15:00:00.000Z',
      ...Object.fromEntries(seriesCounters.map((name) => [name, 0])),
    });
  });

  it('begins days at midnight of the organization’s time zone', async () => {
    const { points, timezone } = await series({ interval: 'DAY' });
    expect(timezone).toBe('Europe/Paris');
    expect(points.map(({ at, sent }) => [at, sent])).toEqual([
      ['2026-04-30T22:00:00.000Z', 4],
      ['2026-05-01T22:00:00.000Z', 0],
    ]);
  });

  it('has the points of a range', async () => {
    const found = await series({ interval: 'HOUR', from: '2026-05-01T11:30:00Z', to: '2026-05-01T15:00:00+02:00' });
    expect(found.points.map(({ at, sent }) => [at, sent])).toEqual([
      ['2026-05-01T11:00:00.000Z', 1],
      ['2026-05-01T12:00:00.000Z', 0],
    ]);
    expect((await series({ interval: 'DAY', from: '2026-07-01T00:00:00Z' })).points).toEqual([]);
  });

  it('keeps hours without an opening or click out of the timeline of get_campaign_analytics', async () => {
    const { timeline } = await fixture.harness.data<Analytics>(
      'get_campaign_analytics',
      { campaignId },
      fixture.tenant,
    );
    expect(timeline.map(({ hour }) => hour)).toEqual(['2026-05-01T11:00:00.000Z', '2026-05-02T08:00:00.000Z']);
  });

  it('still counts rows of the version before, which have opens and clicks only', async () => {
    const { id } = await fixture.draft();
    await fixture.harness
      .dataSource('campaign')
      .query(
        `insert into campaign_hour (organization_id, campaign_id, hour, lane, opens, clicks) values ($1, $2, $3, 0, 5, 2)`,
        [uuidOf('org', fixture.tenant.organizationId), uuidOf('cmp', id), '2026-05-01T10:00:00Z'],
      );
    const { points } = await series({ campaignId: id, interval: 'HOUR' });
    expect(points).toEqual([expect.objectContaining({ opens: 5, clicks: 2, sent: 0 })]);
  });

  it('has no points before the campaign is sent', async () => {
    const { id } = await fixture.draft();
    expect((await series({ campaignId: id, interval: 'DAY' })).points).toEqual([]);
  });

  it('refuses more than 1,000 points with RANGE_TOO_LONG, and a reversed range with PARAMETERS_INVALID', async () => {
    expect(await refusal({ from: '2026-01-01T00:00:00Z', to: '2026-05-01T00:00:00Z' })).toBe('RANGE_TOO_LONG');
    expect(await refusal({ from: '2026-05-01T00:00:00Z', to: '2026-01-01T00:00:00Z' })).toBe('PARAMETERS_INVALID');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    expect(await refusal({}, fixture.otherTenant)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: newId('cmp') })).toBe('CAMPAIGN_NOT_FOUND');
  });
});
