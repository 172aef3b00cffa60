import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';

describe('update_campaign_filters', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.people(3, 'customer');
    await desk.people(2);
    await desk.people(4, 'foreign', desk.theirs);
  });
  afterAll(() => desk.close());

  const update = (campaignId: string, filters: object[]) =>
    desk.tidings.data<{ campaign: CampaignData; recipientCount: number }>(
      'update_campaign_filters',
      { campaignId, filters },
      desk.ours,
    );
  const refusal = (campaignId: string, filters: object[]) =>
    desk.tidings.refusal('update_campaign_filters', { campaignId, filters }, desk.ours);
  const tagged = (...tagNames: string[]) => ({ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames });

  it('sets the filters, counts who matches, and get_campaign shows them', async () => {
    const { id, updatedAt } = await desk.draft();
    const { campaign, recipientCount } = await update(id, [tagged('customer')]);
    expect(recipientCount).toBe(3);
    expect(campaign.recipientFilters).toHaveLength(1);
    expect(campaign.updatedAt > updatedAt).toBe(true);
    expect(await desk.get(id)).toEqual(campaign);
  });

  it('combines filters with AND; none is everybody subscribed', async () => {
    const { id } = await desk.draft();
    const onlyOne = { type: 'STRING', field: 'email', operator: 'STARTS_WITH', value: 'customer-1' };
    expect((await update(id, [tagged('customer'), onlyOne])).recipientCount).toBe(1);
    expect((await update(id, [])).recipientCount).toBe(5);
    await desk.tidings.data('unsubscribe', { email: 'person-0@example.com' }, desk.ours);
    expect((await update(id, [])).recipientCount).toBe(4);
  });

  it('keeps naming a tag by what it is, not by its name', async () => {
    const { id } = await desk.draft();
    const { campaign } = await update(id, [tagged('customer')]);
    expect(campaign.recipientFilters[0]).toMatchObject({ tagIds: [expect.stringMatching(/^tag_/)] });
    expect((await desk.row(id)).filter_references).toEqual([expect.stringMatching(/^tag:/)]);
  });

  it('refuses filters that are wrong, or name what is unknown or another organization’s, with FILTERS_INVALID', async () => {
    const { id } = await desk.draft();
    expect(await refusal(id, [{ type: 'TAG', field: 'tags', operator: 'SMELLS_LIKE' }])).toBe('FILTERS_INVALID');
    expect(await refusal(id, [tagged('nobody-has-this')])).toBe('FILTERS_INVALID');
    expect(await refusal(id, [tagged('foreign')])).toBe('FILTERS_INVALID');
    expect((await desk.get(id)).recipientFilters).toEqual([]);
  });

  it('refuses a segment that names what is gone with FILTER_TARGET_GONE, one in itself with SEGMENT_CYCLE', async () => {
    const { id } = await desk.draft();
    await desk.people(1, 'soon-gone');
    const broken = await desk.segmentWithout('soon-gone');
    await desk.dropTag('soon-gone');
    expect(await refusal(id, [broken])).toBe('FILTER_TARGET_GONE');
    const round = await desk.segmentWithout('customer');
    await desk.closeCircle(round);
    expect(await refusal(id, [round])).toBe('SEGMENT_CYCLE');
    expect((await desk.get(id)).recipientFilters).toEqual([]);
  });

  it('refuses a campaign that is no DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await desk.draft();
    await desk.tidings.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, desk.ours);
    expect(await refusal(id, [])).toBe('CAMPAIGN_NOT_DRAFT');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const { id } = await desk.draft({}, desk.theirs);
    expect(await refusal(id, [tagged('customer')])).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'), [])).toBe('CAMPAIGN_NOT_FOUND');
    expect((await desk.get(id, desk.theirs)).recipientFilters).toEqual([]);
  });
});
