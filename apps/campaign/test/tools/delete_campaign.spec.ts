import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';

describe('delete_campaign', () => {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
  });
  afterAll(() => fixture.close());

  const deletion = (campaignId: string) => fixture.harness.data('delete_campaign', { campaignId }, fixture.tenant);
  const refusal = (campaignId: string) => fixture.harness.refusal('delete_campaign', { campaignId }, fixture.tenant);
  const describing = (campaignId: string) =>
    fixture.harness.describe('delete_campaign', { campaignId }, fixture.tenant);

  it('deletes a DRAFT with its history and states before which', async () => {
    const { id } = await fixture.draft({ name: 'Old news' });
    expect(await describing(id)).toMatchObject({
      ok: true,
      data: { message: "Deletes the draft 'Old news' and its history." },
    });
    expect(await fixture.history(id)).toHaveLength(1);
    expect(await deletion(id)).toEqual({ campaignId: id });
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await fixture.history(id)).toEqual([]);
  });

  it('refuses a campaign that is not a DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_DRAFT');
    expect(await describing(id)).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_NOT_DRAFT' } });
    expect((await fixture.get(id)).status).toBe('SCHEDULED');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    for (const id of [foreign.id, newId('cmp')]) {
      expect(await refusal(id)).toBe('CAMPAIGN_NOT_FOUND');
      expect(await describing(id)).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_NOT_FOUND' } });
    }
    expect((await fixture.get(foreign.id, fixture.otherTenant)).status).toBe('DRAFT');
  });
});
