import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  it('answers the campaign, and its main fields beside it', async () => {
    const campaign = await fixture.draft({ preview: 'In brief', replyTo: 'ada@acme.example' });
    const { senderId, sender, replyTo, recipientFilters, content, preview, contentType } = campaign;
    expect(await fixture.harness.data('get_campaign', { campaignId: campaign.id }, fixture.tenant)).toEqual({
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
    const alone = await fixture.found('Alone');
    const { id, senderId } = await fixture.draft({}, alone);
    await fixture.harness.dataSource('domain').query(`delete from sender where display_name = 'Alone'`);
    expect(await fixture.get(id, alone)).toMatchObject({ senderId, sender: null });
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown, malformed or another organization’s id alike', async () => {
    const { id } = await fixture.draft({}, fixture.otherTenant);
    for (const campaignId of [id, newId('cmp'), id.replace('cmp_', 'sub_'), 'nonsense']) {
      expect(await fixture.harness.refusal('get_campaign', { campaignId }, fixture.tenant)).toBe('CAMPAIGN_NOT_FOUND');
    }
  });
});
