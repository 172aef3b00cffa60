import { describe, expect, it } from '@jest/globals';
import type { EventData } from '#contracts';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_campaign_analytics', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const analytics = (campaignId: string) =>
    fixture.harness.data('get_campaign_analytics', { campaignId }, fixture.tenant);
  const about = (campaignId: string, hour = 10): EventData<'message.sent'> => ({
    messageId: newId('msg'),
    subscriberId: newId('sub'),
    campaignId,
    campaignName: 'Spring news',
    subject: 'Hello',
    email: 'ada@example.com',
    at: `2026-05-01T${hour}:15:00.000Z`,
    simulated: false,
  });
  const open = (campaignId: string, first: boolean, machine = false) => ({
    ...about(campaignId),
    machine,
    first,
    userAgent: null,
  });
  const click = (campaignId: string, url: string, first: boolean, hour: number) => ({
    ...about(campaignId, hour),
    machine: false,
    userAgent: null,
    url,
    first,
    firstOfLink: first,
  });

  it('adds up deliveries, people’s and machines’ openings, clicks by link and by hour, complaints and bounces', async () => {
    const { id } = await fixture.draft();
    await fixture.hear(
      'message.sent',
      Array.from({ length: 8 }, () => about(id)),
    );
    await fixture.hear(
      'message.delivered',
      Array.from({ length: 4 }, () => about(id)),
    );
    const bounce = { bounceCategory: 'OTHER' as const, reason: '', provider: null, status: null };
    await fixture.hear('message.bounced', [
      { ...about(id), ...bounce, bounceType: 'HARD' },
      { ...about(id), ...bounce, bounceType: 'SOFT' },
    ]);
    await fixture.hear('message.opened', [open(id, true), open(id, false), open(id, true), open(id, true, true)]);
    await fixture.hear('message.clicked', [
      click(id, 'https://a.example/', true, 10),
      click(id, 'https://a.example/', false, 12),
      click(id, 'https://b.example/?x={{1}}', true, 12),
    ]);
    await fixture.hear('message.complained', [{ ...about(id), complaintFeedbackType: 'abuse', provider: null }]);
    expect(await analytics(id)).toEqual({
      sent: 8,
      delivered: 4,
      unsubscribed: 0,
      complained: 1,
      bounced: { hard: 1, soft: 1 },
      opens: { unique: 2, total: 3, rate: 0.5, machine: 1 },
      clicks: { unique: 2, total: 3, rate: 0.5 },
      links: [
        { url: 'https://a.example/', unique: 1, total: 2 },
        { url: 'https://b.example/?x={{1}}', unique: 1, total: 1 },
      ],
      timeline: [
        { hour: '2026-05-01T10:00:00.000Z', opens: 3, clicks: 1 },
        { hour: '2026-05-01T12:00:00.000Z', opens: 0, clicks: 2 },
      ],
    });
  });

  it('answers zeros before anything happened', async () => {
    const { id } = await fixture.draft();
    expect(await analytics(id)).toEqual({
      sent: 0,
      delivered: 0,
      unsubscribed: 0,
      complained: 0,
      bounced: { hard: 0, soft: 0 },
      opens: { unique: 0, total: 0, rate: 0, machine: 0 },
      clicks: { unique: 0, total: 0, rate: 0 },
      links: [],
      timeline: [],
    });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    for (const campaignId of [foreign.id, newId('cmp')]) {
      expect(await fixture.harness.refusal('get_campaign_analytics', { campaignId }, fixture.tenant)).toBe(
        'CAMPAIGN_NOT_FOUND',
      );
    }
  });
});
