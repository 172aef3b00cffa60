import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('archive_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const archive = (campaignId: string) => fixture.harness.data('archive_campaign', { campaignId }, fixture.tenant);
  const refusal = (campaignId: string) => fixture.harness.refusal('archive_campaign', { campaignId }, fixture.tenant);
  const listed = async (input: object) => {
    const { campaigns } = await fixture.harness.data<{ campaigns: { id: string }[] }>(
      'list_campaigns',
      input,
      fixture.tenant,
    );
    return campaigns.map(({ id }) => id);
  };

  it('takes a DRAFT out of the list, where only status ARCHIVED shows it', async () => {
    const { id } = await fixture.draft();
    expect(await archive(id)).toMatchObject({ campaignId: id, campaign: { status: 'ARCHIVED' } });
    expect(await listed({})).not.toContain(id);
    expect(await listed({ status: 'ARCHIVED' })).toContain(id);
    expect(await fixture.harness.refusal('edit_campaign', { id, subject: 'No' }, fixture.tenant)).toBe(
      'CAMPAIGN_NOT_DRAFT',
    );
  });

  it('says before it acts what it will archive, and refuses then what it would refuse later', async () => {
    const { id } = await fixture.draft({ name: 'Old news' });
    const described = await fixture.harness.describe('archive_campaign', { campaignId: id }, fixture.tenant);
    expect(described).toMatchObject({ ok: true, data: { message: expect.stringContaining("'Old news'") } });
    expect((await fixture.get(id)).status).toBe('DRAFT');
    await archive(id);
    const again = await fixture.harness.describe('archive_campaign', { campaignId: id }, fixture.tenant);
    expect(again).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_NOT_DRAFT' } });
  });

  it('refuses a campaign that is not DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_DRAFT');
    expect((await fixture.get(id)).status).toBe('SCHEDULED');
  });

  it('archives once when two calls meet', async () => {
    const { id } = await fixture.draft();
    const both = [0, 1].map(() => fixture.harness.call('archive_campaign', { campaignId: id }, fixture.tenant));
    const outcomes = await Promise.all(both);
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal(foreign.id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect((await fixture.get(foreign.id, fixture.otherTenant)).status).toBe('DRAFT');
  });
});
