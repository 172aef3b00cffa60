import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('update_email_snippet', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const update = (input: object) =>
    fixture.harness.data<{ snippet: object; usedBy: string[] }>('update_email_snippet', input, fixture.tenant);
  const refusal = (input: object) => fixture.harness.refusal('update_email_snippet', input, fixture.tenant);
  const textOf = async (campaignId: string) =>
    (await fixture.harness.data<{ text: string }>('render_campaign', { campaignId }, fixture.tenant)).text;

  it('replaces the content everywhere it is used, archived or not, and returns the places', async () => {
    const snippetId = await fixture.snippet('Offer', doc(paragraph('Ten percent')));
    const { id } = await fixture.draft({ content: doc({ type: 'snippet', attrs: { snippetId } }) });
    await fixture.harness.data('archive_email_snippet', { id: snippetId }, fixture.tenant);
    const { snippet, usedBy } = await update({ id: snippetId, content: doc(paragraph('Twenty percent')) });
    expect(snippet).toMatchObject({ name: 'Offer', archived: true, content: doc(paragraph('Twenty percent')) });
    expect(usedBy).toEqual([id]);
    expect(await textOf(id)).toContain('Twenty percent');
    expect(await textOf(id)).not.toContain('Ten percent');
  });

  it('changes only the given fields; an empty description clears', async () => {
    const id = await fixture.snippet('Kept', doc(paragraph('Kept')));
    expect((await update({ id, description: 'Why' })).snippet).toMatchObject({ name: 'Kept', description: 'Why' });
    expect((await update({ id, description: '' })).snippet).toMatchObject({
      description: null,
      content: doc(paragraph('Kept')),
    });
    expect((await update({ id, name: 'KEPT' })).snippet).toMatchObject({ name: 'KEPT' });
  });

  it('refuses a name that another snippet has with SNIPPET_NAME_TAKEN', async () => {
    await fixture.snippet('First', doc());
    const id = await fixture.snippet('Second', doc());
    expect(await refusal({ id, name: 'FIRST' })).toBe('SNIPPET_NAME_TAKEN');
  });

  it('refuses a new name while a draft uses the old one in text with SNIPPET_NAME_IN_USE', async () => {
    const id = await fixture.snippet('By name', doc(paragraph('Hi')));
    const byId = await fixture.draft({ content: doc({ type: 'snippet', attrs: { snippetId: id } }) });
    const draft = await fixture.draft({ name: 'It names it', subject: 'Hello {{ Snippet: "by name" }}' });
    const outcome = await fixture.harness.call('update_email_snippet', { id, name: 'Other' }, fixture.tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'SNIPPET_NAME_IN_USE' } });
    expect(outcome).toMatchObject({
      error: {
        message: `The snippet is used as {{snippet:By name}} by the campaign "It names it" (${draft.id}). Change them first.`,
      },
    });
    expect(JSON.stringify(outcome)).not.toContain(byId.id);
    await fixture.harness.data('edit_campaign', { id: draft.id, subject: 'Hello' }, fixture.tenant);
    await update({ id, name: 'Other' });
    expect(await textOf(byId.id)).toContain('Hi');
  });

  it('prevents a campaign from using a name that is changed at the same moment', async () => {
    for (let round = 0; round < 25; round += 1) {
      const id = await fixture.snippet(`Round ${round}`, doc(paragraph('Hi')));
      const draft = await fixture.draft();
      const edit = { id: draft.id, subject: `{{snippet:Round ${round}}}` };
      const [edited, renamed] = await Promise.all([
        fixture.harness.call('edit_campaign', edit, fixture.tenant),
        fixture.harness.call('update_email_snippet', { id, name: `Renamed ${round}` }, fixture.tenant),
      ]);
      const refused = [edited, renamed].flatMap((outcome) => (outcome.ok ? [] : [outcome.error.reason]));
      expect([['SNIPPET_NOT_FOUND'], ['SNIPPET_NAME_IN_USE']]).toContainEqual(refused);
    }
  });

  it('refuses bad content with CONTENT_INVALID, no change with NOTHING_TO_CHANGE', async () => {
    const id = await fixture.snippet('Unchanged', doc(paragraph('Hi')));
    expect(await refusal({ id, content: doc({ type: 'nonsense' }) })).toBe('CONTENT_INVALID');
    expect(await refusal({ id })).toBe('NOTHING_TO_CHANGE');
    const after = await fixture.harness.data('get_email_snippet', { id }, fixture.tenant);
    expect(after).toMatchObject({ snippet: { content: doc(paragraph('Hi')) } });
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet, which stays', async () => {
    const foreign = await fixture.snippet('Theirs', doc(paragraph('Theirs')), fixture.otherTenant);
    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await refusal({ id, name: 'Mine' })).toBe('SNIPPET_NOT_FOUND');
    }
    const after = await fixture.harness.data('get_email_snippet', { id: foreign }, fixture.otherTenant);
    expect(after).toMatchObject({ snippet: { name: 'Theirs' } });
  });
});
