import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk, doc, paragraph } from '../campaign-fixture.js';

describe('archive_email_snippet', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const call = (tool: string, id: string, tenant = desk.ours) =>
    desk.tidings.data<{ snippet: { archived: boolean; updatedAt: string } }>(tool, { id }, tenant);

  it('hides the snippet, and campaigns that hold it keep working; once more changes nothing', async () => {
    const id = await desk.snippet('Signature', doc(paragraph('Your team')));
    const { id: campaignId } = await desk.draft({ content: doc({ type: 'snippet', attrs: { snippetId: id } }) });
    const { snippet } = await call('archive_email_snippet', id);
    expect(snippet.archived).toBe(true);
    expect(await call('archive_email_snippet', id)).toEqual(await call('archive_email_snippet', id));
    const { text } = await desk.tidings.data<{ text: string }>('render_campaign', { campaignId }, desk.ours);
    expect(text).toContain('Your team');
    await desk.tidings.data('edit_campaign', { id: campaignId, subject: 'Still editable' }, desk.ours);
  });

  it('says before it acts which snippet, and how many campaigns hold it', async () => {
    const id = await desk.snippet('Offer', doc());
    const tell = () => desk.tidings.describe('archive_email_snippet', { id }, desk.ours);
    expect(await tell()).toMatchObject({ data: { message: expect.stringContaining('no campaign holds it') } });
    await desk.draft({ preview: '{{snippet:Offer}}' });
    expect(await tell()).toMatchObject({
      data: { message: expect.stringMatching(/'Offer'.*1 campaign that holds it/) },
    });
    const unknown = await desk.tidings.describe('archive_email_snippet', { id: newId('snp') }, desk.ours);
    expect(unknown).toMatchObject({ ok: false, error: { reason: 'SNIPPET_NOT_FOUND' } });
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet, which stays', async () => {
    const foreign = await desk.snippet('Theirs', doc(), desk.theirs);

    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await desk.tidings.refusal('archive_email_snippet', { id }, desk.ours)).toBe('SNIPPET_NOT_FOUND');
    }
    const { snippet } = await call('get_email_snippet', foreign, desk.theirs);
    expect(snippet.archived).toBe(false);
  });
});
