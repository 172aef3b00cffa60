import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk } from '../campaign-fixture.js';

describe('unarchive_campaign', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const refusal = (campaignId: string) => desk.tidings.refusal('unarchive_campaign', { campaignId }, desk.ours);

  it('takes an ARCHIVED campaign back to DRAFT as it was', async () => {
    const before = await desk.draft({ preview: 'In brief' });
    await desk.tidings.data('archive_campaign', { campaignId: before.id }, desk.ours);
    const answer = await desk.tidings.data('unarchive_campaign', { campaignId: before.id }, desk.ours);
    expect(answer).toMatchObject({ campaignId: before.id, campaign: { status: 'DRAFT' } });
    const after = await desk.get(before.id);
    expect(after).toEqual({ ...before, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    await desk.tidings.data('edit_campaign', { id: before.id, subject: 'Again' }, desk.ours);
  });

  it('refuses a campaign that is not archived with CAMPAIGN_NOT_ARCHIVED', async () => {
    const { id } = await desk.draft();
    expect(await refusal(id)).toBe('CAMPAIGN_NOT_ARCHIVED');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const foreign = await desk.draft({}, desk.theirs);
    await desk.tidings.data('archive_campaign', { campaignId: foreign.id }, desk.theirs);
    expect(await refusal(foreign.id)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'))).toBe('CAMPAIGN_NOT_FOUND');
    expect((await desk.get(foreign.id, desk.theirs)).status).toBe('ARCHIVED');
  });
});
