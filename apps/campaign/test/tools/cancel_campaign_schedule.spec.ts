import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk } from '../campaign-fixture.js';

describe('cancel_campaign_schedule', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.people(2);
  });
  afterAll(() => desk.close());

  const scheduled = async (tenant = desk.ours) => {
    const { id } = await desk.draft({}, tenant);
    await desk.tidings.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, tenant);
    return id;
  };
  const refusal = (campaignId: string) => desk.tidings.refusal('cancel_campaign_schedule', { campaignId }, desk.ours);

  it('takes a SCHEDULED campaign back to DRAFT, where it can be changed and scheduled again', async () => {
    const id = await scheduled();
    await desk.tidings.data('cancel_campaign_schedule', { campaignId: id }, desk.ours);
    expect(await desk.get(id)).toMatchObject({ status: 'DRAFT', scheduledAt: null, timezone: null });
    await desk.tidings.data('edit_campaign', { id, subject: 'Changed' }, desk.ours);
    await desk.tidings.data('schedule_campaign', { campaignId: id }, desk.ours);
  });

  it('either wins whole or is refused when it meets the start: 20 races', async () => {
    for (let race = 0; race < 20; race++) {
      const { id } = await desk.draft();
      await desk.tidings.data('schedule_campaign', { campaignId: id }, desk.ours);
      const starter = desk.starter();
      const [outcome] = await Promise.all([
        desk.tidings.call('cancel_campaign_schedule', { campaignId: id }, desk.ours),
        starter.take().then(() => starter.settled()),
      ]);
      const { status } = await desk.get(id);
      expect(status).toBe(outcome.ok ? 'DRAFT' : 'SENDING');
      const { send_id } = await desk.row(id);
      expect(send_id === null).toBe(outcome.ok);
    }
  });

  it('works while the domain service, which only names the sender, is away', async () => {
    const id = await scheduled();
    const cancel = () => desk.tidings.data('cancel_campaign_schedule', { campaignId: id }, desk.ours);
    expect(await desk.tidings.bus.without('domain', cancel)).toMatchObject({
      campaign: { status: 'DRAFT', sender: null },
    });
  });

  it('refuses a campaign that is not SCHEDULED with CAMPAIGN_NOT_SCHEDULED, and says how one that is SENDING is stopped', async () => {
    const { id } = await desk.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_SCHEDULED');
    await desk.sendNow(id);
    expect(await desk.tidings.call('cancel_campaign_schedule', { campaignId: id }, desk.ours)).toMatchObject({
      error: { reason: 'CAMPAIGN_NOT_SCHEDULED', message: expect.stringContaining('/pause') },
    });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    await desk.people(1, undefined, desk.theirs);
    const id = await scheduled(desk.theirs);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect(await desk.get(id, desk.theirs)).toMatchObject({ status: 'SCHEDULED' });
  });
});
