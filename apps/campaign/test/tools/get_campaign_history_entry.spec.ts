import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import type { Publisher } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_campaign_history_entry', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const entriesOf = async (campaignId: string, tenant: Publisher = fixture.tenant) =>
    (await fixture.harness.data<{ entries: { id: string }[] }>('list_campaign_history', { campaignId }, tenant))
      .entries;
  const refusal = (input: object) => fixture.harness.refusal('get_campaign_history_entry', input, fixture.tenant);

  it('returns the whole state after a save, unaffected by later changes', async () => {
    const content = doc(paragraph('As it was'));
    const { id } = await fixture.draft({ subject: 'First', content });
    await fixture.harness.data('edit_campaign', { id, content: '# Now', contentType: 'MARKDOWN' }, fixture.tenant);
    const [newest, oldest] = await entriesOf(id);
    const entry = (historyId: string) =>
      fixture.harness.data('get_campaign_history_entry', { campaignId: id, historyId }, fixture.tenant);
    expect(await entry(oldest!.id)).toEqual({ entry: { ...oldest, contentType: 'MAILY', content } });
    expect(await entry(newest!.id)).toEqual({ entry: { ...newest, contentType: 'MARKDOWN', content: '# Now' } });
  });

  it('answers HISTORY_ENTRY_NOT_FOUND for an unknown, malformed or another campaign’s entry', async () => {
    const { id } = await fixture.draft();
    const other = await fixture.draft();
    const [foreign] = await entriesOf(other.id);
    for (const historyId of [newId('hst'), 'none', foreign!.id]) {
      expect(await refusal({ campaignId: id, historyId })).toBe('HISTORY_ENTRY_NOT_FOUND');
    }
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const { id } = await fixture.draft({}, fixture.otherTenant);
    const [entry] = await entriesOf(id, fixture.otherTenant);
    expect(await refusal({ campaignId: id, historyId: entry!.id })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: newId('cmp'), historyId: entry!.id })).toBe('CAMPAIGN_NOT_FOUND');
  });
});
