import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('archive_email_snippet', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const call = (tool: string, id: string, tenant = fixture.tenant) =>
    fixture.harness.data<{ snippet: { archived: boolean; updatedAt: string } }>(tool, { id }, tenant);

  it('hides the snippet, and campaigns that hold it keep working; once more changes nothing', async () => {
    const id = await fixture.snippet('Signature', doc(paragraph('Your team')));
    const { id: campaignId } = await fixture.draft({ content: doc({ type: 'snippet', attrs: { snippetId: id } }) });
    const { snippet } = await call('archive_email_snippet', id);
    expect(snippet.archived).toBe(true);
    expect(await call('archive_email_snippet', id)).toEqual(await call('archive_email_snippet', id));
    const { text } = await fixture.harness.data<{ text: string }>('render_campaign', { campaignId }, fixture.tenant);
    expect(text).toContain('Your team');
    await fixture.harness.data('edit_campaign', { id: campaignId, subject: 'Still editable' }, fixture.tenant);
  });

  it('says before it acts which snippet, and how many campaigns hold it', async () => {
    const id = await fixture.snippet('Offer', doc());
    const tell = () => fixture.harness.describe('archive_email_snippet', { id }, fixture.tenant);
    expect(await tell()).toMatchObject({ data: { message: expect.stringContaining('no campaign holds it') } });
    await fixture.draft({ preview: '{{snippet:Offer}}' });
    expect(await tell()).toMatchObject({
      data: { message: expect.stringMatching(/'Offer'.*1 campaign that holds it/) },
    });
    const unknown = await fixture.harness.describe('archive_email_snippet', { id: newId('snp') }, fixture.tenant);
    expect(unknown).toMatchObject({ ok: false, error: { reason: 'SNIPPET_NOT_FOUND' } });
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet, which stays', async () => {
    const foreign = await fixture.snippet('Theirs', doc(), fixture.otherTenant);

    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await fixture.harness.refusal('archive_email_snippet', { id }, fixture.tenant)).toBe('SNIPPET_NOT_FOUND');
    }
    const { snippet } = await call('get_email_snippet', foreign, fixture.otherTenant);
    expect(snippet.archived).toBe(false);
  });
});
