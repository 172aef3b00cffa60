import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk, doc, paragraph, shownTo, unsubscribeFooter } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';

describe('restore_campaign_history', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.people(1, 'customer');
  });
  afterAll(() => desk.close());

  const edit = (input: object) => desk.tidings.data('edit_campaign', input, desk.ours);
  /** Ids of the entries, oldest first. */
  const entriesOf = async (campaignId: string, tenant = desk.ours) => {
    const list = await desk.tidings.data<{ entries: { id: string }[] }>(
      'list_campaign_history',
      { campaignId },
      tenant,
    );
    return list.entries.map(({ id }) => id).reverse();
  };
  const restore = async (campaignId: string, historyId: string) =>
    (
      await desk.tidings.data<{ campaign: CampaignData }>(
        'restore_campaign_history',
        { campaignId, historyId },
        desk.ours,
      )
    ).campaign;
  const refusal = (campaignId: string, historyId: string) =>
    desk.tidings.refusal('restore_campaign_history', { campaignId, historyId }, desk.ours);

  it('brings back subject, content and its type, leaves the rest, and adds an entry', async () => {
    const content = doc(paragraph('As it was'), unsubscribeFooter);
    const { id } = await desk.draft({ subject: 'First', content });
    await edit({ id, subject: 'Second', name: 'New name', content: '# Now', contentType: 'MARKDOWN' });
    const [first, second] = await entriesOf(id);
    expect(await restore(id, first!)).toMatchObject({
      status: 'DRAFT',
      name: 'New name',
      subject: 'First',
      content,
      contentType: 'MAILY',
    });
    expect((await desk.history(id)).map(({ subject }) => subject)).toEqual(['First', 'Second', 'First']);
    expect(await restore(id, second!)).toMatchObject({ subject: 'Second', content: '# Now', contentType: 'MARKDOWN' });
  });

  it('keeps the schedule of a SCHEDULED campaign, whose content must keep its unsubscribe link: UNSUBSCRIBE_LINK_MISSING', async () => {
    const { id } = await desk.draft({ subject: 'First', content: doc(paragraph('No way out')) });
    await edit({ id, subject: 'Second', content: doc(paragraph('A way out'), unsubscribeFooter) });
    await edit({ id, subject: 'Third' });
    await desk.tidings.data('schedule_campaign', { campaignId: id, date: '2037-05-01' }, desk.ours);
    const { scheduledAt } = await desk.get(id);
    const [first, second] = await entriesOf(id);
    expect(await refusal(id, first!)).toBe('UNSUBSCRIBE_LINK_MISSING');
    expect(await restore(id, second!)).toMatchObject({ status: 'SCHEDULED', subject: 'Second', scheduledAt });
  });

  it('notes what the restored content names: snippets and conditional blocks', async () => {
    const snippetId = await desk.snippet('Greeting', doc(paragraph('Hi')));
    const { id } = await desk.draft({
      content: doc({ type: 'snippet', attrs: { snippetId } }, paragraph('for some', shownTo('customer'))),
    });
    await edit({ id, content: doc() });
    const [first] = await entriesOf(id);
    await restore(id, first!);
    expect(await desk.row(id)).toMatchObject({ content_references: [expect.stringMatching(/^tag:/)] });
    const snippet = await desk.tidings.data('get_email_snippet', { id: snippetId }, desk.ours);
    expect(snippet).toMatchObject({ usedBy: [id] });
  });

  it('refuses content whose blocks name something gone with CONTENT_INVALID, a renamed snippet with SNIPPET_NOT_FOUND', async () => {
    await desk.people(1, 'soon-gone');
    const { id } = await desk.draft({ content: doc(paragraph('for some', shownTo('soon-gone'))) });
    const snippetId = await desk.snippet('Old name', doc(paragraph('Hi')));
    await edit({ id, content: doc(paragraph('{{snippet:Old name}}')) });
    await edit({ id, content: doc() });
    await desk.dropTag('soon-gone');
    await desk.tidings.data('update_email_snippet', { id: snippetId, name: 'New name' }, desk.ours);
    const before = await desk.get(id);
    const [first, second] = await entriesOf(id);
    expect(await refusal(id, first!)).toBe('CONTENT_INVALID');
    expect(await refusal(id, second!)).toBe('SNIPPET_NOT_FOUND');
    expect(await desk.get(id)).toEqual(before);
  });

  it('refuses what is sending or over with CAMPAIGN_NOT_RESTORABLE', async () => {
    const { id } = await desk.draft();
    const [first] = await entriesOf(id);
    await desk.sendNow(id);
    expect(await refusal(id, first!)).toBe('CAMPAIGN_NOT_RESTORABLE');
  });

  it('answers HISTORY_ENTRY_NOT_FOUND for another campaign’s entry, CAMPAIGN_NOT_FOUND for another organization’s campaign', async () => {
    const { id } = await desk.draft();
    const other = await desk.draft();
    const [foreign] = await entriesOf(other.id);
    expect(await refusal(id, foreign!)).toBe('HISTORY_ENTRY_NOT_FOUND');
    const theirs = await desk.draft({}, desk.theirs);
    const [entry] = await entriesOf(theirs.id, desk.theirs);
    expect(await refusal(theirs.id, entry!)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal(newId('cmp'), entry!)).toBe('CAMPAIGN_NOT_FOUND');
    expect(await desk.get(theirs.id, desk.theirs)).toEqual(theirs);
  });
});
