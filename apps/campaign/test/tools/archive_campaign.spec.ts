import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk } from '../campaign-fixture.js';

describe('archive_campaign', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const archive = (campaignId: string) => desk.tidings.data('archive_campaign', { campaignId }, desk.ours);
  const refusal = (campaignId: string) => desk.tidings.refusal('archive_campaign', { campaignId }, desk.ours);
  const listed = async (input: object) => {
    const { campaigns } = await desk.tidings.data<{ campaigns: { id: string }[] }>('list_campaigns', input, desk.ours);
    return campaigns.map(({ id }) => id);
  };

  it('takes a DRAFT out of the list, where only status ARCHIVED shows it', async () => {
    const { id } = await desk.draft();
    expect(await archive(id)).toMatchObject({ campaignId: id, campaign: { status: 'ARCHIVED' } });
    expect(await listed({})).not.toContain(id);
    expect(await listed({ status: 'ARCHIVED' })).toContain(id);
    expect(await desk.tidings.refusal('edit_campaign', { id, subject: 'No' }, desk.ours)).toBe('CAMPAIGN_NOT_DRAFT');
  });

  it('says before it acts what it will archive, and refuses then what it would refuse later', async () => {
    const { id } = await desk.draft({ name: 'Old news' });
    const told = await desk.tidings.describe('archive_campaign', { campaignId: id }, desk.ours);
    expect(told).toMatchObject({ ok: true, data: { message: expect.stringContaining("'Old news'") } });
    expect((await desk.get(id)).status).toBe('DRAFT');
    await archive(id);
    const again = await desk.tidings.describe('archive_campaign', { campaignId: id }, desk.ours);
    expect(again).toMatchObject({ ok: false, error: { reason: 'CAMPAIGN_NOT_DRAFT' } });
  });

  it('refuses whatever is no DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await desk.draft();
    await desk.tidings.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, desk.ours);
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_DRAFT');
    expect((await desk.get(id)).status).toBe('SCHEDULED');
  });

  it('archives once when two calls meet', async () => {
    const { id } = await desk.draft();
    const both = [0, 1].map(() => desk.tidings.call('archive_campaign', { campaignId: id }, desk.ours));
    const outcomes = await Promise.all(both);
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const foreign = await desk.draft({}, desk.theirs);
    expect(await refusal(foreign.id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect((await desk.get(foreign.id, desk.theirs)).status).toBe('DRAFT');
  });
});
