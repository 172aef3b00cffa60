import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('update_campaign_filters', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(3, 'customer');
    await fixture.people(2);
    await fixture.people(4, 'foreign', fixture.otherTenant);
  });

  const update = (campaignId: string, filters: object[]) =>
    fixture.harness.data<{ campaign: CampaignData; recipientCount: number }>(
      'update_campaign_filters',
      { campaignId, filters },
      fixture.tenant,
    );
  const refusal = (campaignId: string, filters: object[]) =>
    fixture.harness.refusal('update_campaign_filters', { campaignId, filters }, fixture.tenant);
  const tagged = (...tagNames: string[]) => ({ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames });

  it('sets the filters, counts who matches, and get_campaign shows them', async () => {
    const { id, updatedAt } = await fixture.draft();
    const { campaign, recipientCount } = await update(id, [tagged('customer')]);
    expect(recipientCount).toBe(3);
    expect(campaign.recipientFilters).toHaveLength(1);
    expect(campaign.updatedAt > updatedAt).toBe(true);
    expect(await fixture.get(id)).toEqual(campaign);
  });

  it('combines filters with AND; no filter means every SUBSCRIBED subscriber', async () => {
    const { id } = await fixture.draft();
    const onlyOne = { type: 'STRING', field: 'email', operator: 'STARTS_WITH', value: 'customer-1' };
    expect((await update(id, [tagged('customer'), onlyOne])).recipientCount).toBe(1);
    expect((await update(id, [])).recipientCount).toBe(5);
    await fixture.harness.data('unsubscribe', { email: 'person-0@example.com' }, fixture.tenant);
    expect((await update(id, [])).recipientCount).toBe(4);
  });

  it('keeps naming a tag by what it is, not by its name', async () => {
    const { id } = await fixture.draft();
    const { campaign } = await update(id, [tagged('customer')]);
    expect(campaign.recipientFilters[0]).toMatchObject({ tagIds: [expect.stringMatching(/^tag_/)] });
    expect((await fixture.row(id)).filter_references).toEqual([expect.stringMatching(/^tag:/)]);
  });

  it('refuses invalid filters, and filters that name unknown or other tenants’ ids, with FILTERS_INVALID', async () => {
    const { id } = await fixture.draft();
    expect(await refusal(id, [{ type: 'TAG', field: 'tags', operator: 'SMELLS_LIKE' }])).toBe('FILTERS_INVALID');
    expect(await refusal(id, [tagged('nobody-has-this')])).toBe('FILTERS_INVALID');
    expect(await refusal(id, [tagged('foreign')])).toBe('FILTERS_INVALID');
    expect((await fixture.get(id)).recipientFilters).toEqual([]);
  });

  it('refuses a segment that names a deleted target with FILTER_TARGET_GONE, and a segment within itself with SEGMENT_CYCLE', async () => {
    const { id } = await fixture.draft();
    await fixture.people(1, 'soon-gone');
    const broken = await fixture.segmentWithout('soon-gone');
    await fixture.dropTag('soon-gone');
    expect(await refusal(id, [broken])).toBe('FILTER_TARGET_GONE');
    const round = await fixture.segmentWithout('customer');
    await fixture.closeCircle(round);
    expect(await refusal(id, [round])).toBe('SEGMENT_CYCLE');
    expect((await fixture.get(id)).recipientFilters).toEqual([]);
  });

  it('refuses a campaign that is no DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
    expect(await refusal(id, [])).toBe('CAMPAIGN_NOT_DRAFT');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const { id } = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal(id, [tagged('customer')])).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'), [])).toBe('CAMPAIGN_NOT_FOUND');
    expect((await fixture.get(id, fixture.otherTenant)).recipientFilters).toEqual([]);
  });
});
