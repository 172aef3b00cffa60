import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRequests } from '#contracts';
import { newId } from '#database';
import { Desk } from '../campaign-fixture.js';

describe('get_campaign_progress', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.people(3);
  });
  afterAll(() => desk.close());

  const progress = (campaignId: string) =>
    desk.tidings.data<Record<string, unknown>>('get_campaign_progress', { campaignId }, desk.ours);
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
    const { id } = await desk.draft();
    expect(await progress(id)).toEqual({ campaignId: id, status: 'DRAFT', ...nothing });
    await desk.tidings.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, desk.ours);
    expect(await progress(id)).toEqual({ campaignId: id, status: 'SCHEDULED', ...nothing });
  });

  it('counts everybody as pending when the send begins, and tells when it is paused', async () => {
    const { id } = await desk.draft();
    await desk.sendNow(id);
    expect(await progress(id)).toMatchObject({ status: 'SENDING', total: 3, pending: 3, percent: 0, paused: false });
    expect((await progress(id)).startedAt).toBe((await desk.get(id)).startedAt);
    const control = desk.tidings.client(campaignRequests).control_campaign;
    await control({ campaignId: id, action: 'pause' }, desk.tidings.caller(desk.ours));
    expect(await progress(id)).toMatchObject({ paused: true, pausedReason: 'Paused by request.' });
  });

  it('tells why a campaign that is due cannot start', async () => {
    const { id } = await desk.draft();
    await desk.tidings.bus.without('delivery', async () => {
      await desk.tidings.data('schedule_campaign', { campaignId: id }, desk.ours);
      const starter = desk.starter();
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
    const { id } = await desk.draft();
    await desk.sendNow(id);
    const refusal = () => desk.tidings.refusal('get_campaign_progress', { campaignId: id }, desk.ours);
    expect(await desk.tidings.bus.without('delivery', refusal)).toBe('SERVICE_UNAVAILABLE');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const { id } = await desk.draft({}, desk.theirs);
    for (const campaignId of [id, newId('cmp')]) {
      expect(await desk.tidings.refusal('get_campaign_progress', { campaignId }, desk.ours)).toBe('CAMPAIGN_NOT_FOUND');
    }
  });
});
