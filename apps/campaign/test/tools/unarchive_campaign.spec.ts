import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('unarchive_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const refusal = (campaignId: string) => fixture.harness.refusal('unarchive_campaign', { campaignId }, fixture.tenant);

  it('takes an ARCHIVED campaign back to DRAFT as it was', async () => {
    const before = await fixture.draft({ preview: 'In brief' });
    await fixture.harness.data('archive_campaign', { campaignId: before.id }, fixture.tenant);
    const answer = await fixture.harness.data('unarchive_campaign', { campaignId: before.id }, fixture.tenant);
    expect(answer).toMatchObject({ campaignId: before.id, campaign: { status: 'DRAFT' } });
    const after = await fixture.get(before.id);
    expect(after).toEqual({ ...before, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    await fixture.harness.data('edit_campaign', { id: before.id, subject: 'Again' }, fixture.tenant);
  });

  it('refuses a campaign that is not archived with CAMPAIGN_NOT_ARCHIVED', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_ARCHIVED');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    await fixture.harness.data('archive_campaign', { campaignId: foreign.id }, fixture.otherTenant);
    expect(await refusal(foreign.id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect((await fixture.get(foreign.id, fixture.otherTenant)).status).toBe('ARCHIVED');
  });
});
