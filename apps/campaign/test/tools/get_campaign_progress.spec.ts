import { beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRequests } from '#contracts';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_campaign_progress', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(3);
  });

  const progress = (campaignId: string) =>
    fixture.harness.data<Record<string, unknown>>('get_campaign_progress', { campaignId }, fixture.tenant);
  const nothing = {
    total: 0,
    pending: 0,
    deferred: 0,
    sent: 0,
    delivered: 0,
    bounced: 0,
    failed: 0,
    skipped: {},
    inDoubt: 0,
    percent: 0,
    paused: false,
    pausedReason: null,
    waitingFor: null,
    startedAt: null,
    finishedAt: null,
    ratePerSecond: 0,
  };

  it('is all zero before the campaign is sent', async () => {
    const { id } = await fixture.draft();
    expect(await progress(id)).toEqual({ campaignId: id, status: 'DRAFT', ...nothing });
    await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
    expect(await progress(id)).toEqual({ campaignId: id, status: 'SCHEDULED', ...nothing });
  });

  it('counts all recipients as pending when the send starts, and reports a pause', async () => {
    const { id } = await fixture.draft();
    await fixture.sendNow(id);
    expect(await progress(id)).toMatchObject({ status: 'SENDING', total: 3, pending: 3, percent: 0, paused: false });
    expect((await progress(id)).startedAt).toBe((await fixture.get(id)).startedAt);
    const control = fixture.harness.client(campaignRequests).control_campaign;
    await control({ campaignId: id, action: 'pause' }, fixture.harness.caller(fixture.tenant));
    expect(await progress(id)).toMatchObject({ paused: true, pausedReason: 'Paused by request.' });
  });

  it('returns why a due campaign cannot start', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.bus.without('delivery', async () => {
      await fixture.harness.data('schedule_campaign', { campaignId: id }, fixture.tenant);
      const starter = fixture.starter();
      await starter.take();
      await starter.settled();
      expect(await progress(id)).toMatchObject({
        status: 'SENDING',
        total: 0,
        waitingFor: expect.stringContaining('delivery'),
      });
    });
  });

  it('passes on that the delivery service is away', async () => {
    const { id } = await fixture.draft();
    await fixture.sendNow(id);
    const refusal = () => fixture.harness.refusal('get_campaign_progress', { campaignId: id }, fixture.tenant);
    expect(await fixture.harness.bus.without('delivery', refusal)).toBe('SERVICE_UNAVAILABLE');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const { id } = await fixture.draft({}, fixture.otherTenant);
    for (const campaignId of [id, newId('cmp')]) {
      expect(await fixture.harness.refusal('get_campaign_progress', { campaignId }, fixture.tenant)).toBe(
        'CAMPAIGN_NOT_FOUND',
      );
    }
  });
});
