import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph, shownTo, unsubscribeFooter } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('restore_campaign_history', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(1, 'customer');
  });

  const edit = (input: object) => fixture.harness.data('edit_campaign', input, fixture.tenant);
  /** Ids of the entries, oldest first. */
  const entriesOf = async (campaignId: string, tenant = fixture.tenant) => {
    const list = await fixture.harness.data<{ entries: { id: string }[] }>(
      'list_campaign_history',
      { campaignId },
      tenant,
    );
    return list.entries.map(({ id }) => id).reverse();
  };
  const restore = async (campaignId: string, historyId: string) =>
    (
      await fixture.harness.data<{ campaign: CampaignData }>(
        'restore_campaign_history',
        { campaignId, historyId },
        fixture.tenant,
      )
    ).campaign;
  const refusal = (campaignId: string, historyId: string) =>
    fixture.harness.refusal('restore_campaign_history', { campaignId, historyId }, fixture.tenant);

  it('brings back subject, content and its type, leaves the rest, and adds an entry', async () => {
    const content = doc(paragraph('As it was'), unsubscribeFooter);
    const { id } = await fixture.draft({ subject: 'First', content });
    await edit({ id, subject: 'Second', name: 'New name', content: '# Now', contentType: 'MARKDOWN' });
    const [first, second] = await entriesOf(id);
    expect(await restore(id, first!)).toMatchObject({
      status: 'DRAFT',
      name: 'New name',
      subject: 'First',
      content,
      contentType: 'MAILY',
    });
    expect((await fixture.history(id)).map(({ subject }) => subject)).toEqual(['First', 'Second', 'First']);
    expect(await restore(id, second!)).toMatchObject({ subject: 'Second', content: '# Now', contentType: 'MARKDOWN' });
  });

  it('keeps the schedule of a SCHEDULED campaign, whose content must keep its unsubscribe link: UNSUBSCRIBE_LINK_MISSING', async () => {
    const { id } = await fixture.draft({ subject: 'First', content: doc(paragraph('No way out')) });
    await edit({ id, subject: 'Second', content: doc(paragraph('A way out'), unsubscribeFooter) });
    await edit({ id, subject: 'Third' });
    await fixture.harness.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, fixture.tenant);
    const { scheduledAt } = await fixture.get(id);
    const [first, second] = await entriesOf(id);
    expect(await refusal(id, first!)).toBe('UNSUBSCRIBE_LINK_MISSING');
    expect(await restore(id, second!)).toMatchObject({ status: 'SCHEDULED', subject: 'Second', scheduledAt });
  });

  it('notes what the restored content names: snippets and conditional blocks', async () => {
    const snippetId = await fixture.snippet('Greeting', doc(paragraph('Hi')));
    const { id } = await fixture.draft({
      content: doc({ type: 'snippet', attrs: { snippetId } }, paragraph('for some', shownTo('customer'))),
    });
    await edit({ id, content: doc() });
    const [first] = await entriesOf(id);
    await restore(id, first!);
    expect(await fixture.row(id)).toMatchObject({ content_references: [expect.stringMatching(/^tag:/)] });
    const snippet = await fixture.harness.data('get_email_snippet', { id: snippetId }, fixture.tenant);
    expect(snippet).toMatchObject({ usedBy: [id] });
  });

  it('refuses content whose blocks name something gone with CONTENT_INVALID, a renamed snippet with SNIPPET_NOT_FOUND', async () => {
    await fixture.people(1, 'soon-gone');
    const { id } = await fixture.draft({ content: doc(paragraph('for some', shownTo('soon-gone'))) });
    const snippetId = await fixture.snippet('Old name', doc(paragraph('Hi')));
    await edit({ id, content: doc(paragraph('{{snippet:Old name}}')) });
    await edit({ id, content: doc() });
    await fixture.dropTag('soon-gone');
    await fixture.harness.data('update_email_snippet', { id: snippetId, name: 'New name' }, fixture.tenant);
    const before = await fixture.get(id);
    const [first, second] = await entriesOf(id);
    expect(await refusal(id, first!)).toBe('CONTENT_INVALID');
    expect(await refusal(id, second!)).toBe('SNIPPET_NOT_FOUND');
    expect(await fixture.get(id)).toEqual(before);
  });

  it('refuses a campaign that is sending or finished with CAMPAIGN_NOT_RESTORABLE', async () => {
    const { id } = await fixture.draft();
    const [first] = await entriesOf(id);
    await fixture.sendNow(id);
    expect(await refusal(id, first!)).toBe('CAMPAIGN_NOT_RESTORABLE');
  });

  it('answers HISTORY_ENTRY_NOT_FOUND for another campaign’s entry, CAMPAIGN_NOT_FOUND for another organization’s campaign', async () => {
    const { id } = await fixture.draft();
    const other = await fixture.draft();
    const [foreign] = await entriesOf(other.id);
    expect(await refusal(id, foreign!)).toBe('HISTORY_ENTRY_NOT_FOUND');
    const otherTenant = await fixture.draft({}, fixture.otherTenant);
    const [entry] = await entriesOf(otherTenant.id, fixture.otherTenant);
    expect(await refusal(otherTenant.id, entry!)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'), entry!)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await fixture.get(otherTenant.id, fixture.otherTenant)).toEqual(otherTenant);
  });
});
