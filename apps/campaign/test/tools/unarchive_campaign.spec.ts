import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';

describe('unarchive_campaign', () => {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
  });
  afterAll(() => fixture.close());

  const refusal = (campaignId: string) => fixture.tidings.refusal('unarchive_campaign', { campaignId }, fixture.ours);

  it('takes an ARCHIVED campaign back to DRAFT as it was', async () => {
    const before = await fixture.draft({ preview: 'In brief' });
    await fixture.tidings.data('archive_campaign', { campaignId: before.id }, fixture.ours);
    const answer = await fixture.tidings.data('unarchive_campaign', { campaignId: before.id }, fixture.ours);
    expect(answer).toMatchObject({ campaignId: before.id, campaign: { status: 'DRAFT' } });
    const after = await fixture.get(before.id);
    expect(after).toEqual({ ...before, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    await fixture.tidings.data('edit_campaign', { id: before.id, subject: 'Again' }, fixture.ours);
  });

  it('refuses a campaign that is not archived with CAMPAIGN_NOT_ARCHIVED', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_ARCHIVED');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const foreign = await fixture.draft({}, fixture.theirs);
    await fixture.tidings.data('archive_campaign', { campaignId: foreign.id }, fixture.theirs);
    expect(await refusal(foreign.id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect((await fixture.get(foreign.id, fixture.theirs)).status).toBe('ARCHIVED');
  });
});
