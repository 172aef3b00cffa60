import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk } from '../campaign-fixture.js';

describe('get_campaign', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  it('answers the campaign, and its main fields beside it', async () => {
    const campaign = await desk.draft({ preview: 'In brief', replyTo: 'ada@acme.example' });
    const { senderId, sender, replyTo, recipientFilters, content, preview, contentType } = campaign;
    expect(await desk.tidings.data('get_campaign', { campaignId: campaign.id }, desk.ours)).toEqual({
      campaign,
      campaignId: campaign.id,
      senderId,
      sender,
      replyTo,
      recipientFilters,
      content,
      preview,
      contentType,
    });
  });

  it('still answers when its sender is gone', async () => {
    const alone = await desk.found('Alone');
    const { id, senderId } = await desk.draft({}, alone);
    await desk.tidings.dataSource('domain').query(`delete from sender where display_name = 'Alone'`);
    expect(await desk.get(id, alone)).toMatchObject({ senderId, sender: null });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown, malformed or another organization’s id alike', async () => {
    const { id } = await desk.draft({}, desk.theirs);
    for (const campaignId of [id, newId('cmp'), id.replace('cmp_', 'sub_'), 'nonsense']) {
      expect(await desk.tidings.refusal('get_campaign', { campaignId }, desk.ours)).toBe('CAMPAIGN_NOT_FOUND');
    }
  });
});
