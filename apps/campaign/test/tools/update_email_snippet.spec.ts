import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk, doc, paragraph } from '../campaign-fixture.js';

describe('update_email_snippet', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const update = (input: object) =>
    desk.tidings.data<{ snippet: object; usedBy: string[] }>('update_email_snippet', input, desk.ours);
  const refusal = (input: object) => desk.tidings.refusal('update_email_snippet', input, desk.ours);
  const textOf = async (campaignId: string) =>
    (await desk.tidings.data<{ text: string }>('render_campaign', { campaignId }, desk.ours)).text;

  it('replaces the content everywhere it is used, archived or not, and tells where that is', async () => {
    const snippetId = await desk.snippet('Offer', doc(paragraph('Ten percent')));
    const { id } = await desk.draft({ content: doc({ type: 'snippet', attrs: { snippetId } }) });
    await desk.tidings.data('archive_email_snippet', { id: snippetId }, desk.ours);
    const { snippet, usedBy } = await update({ id: snippetId, content: doc(paragraph('Twenty percent')) });
    expect(snippet).toMatchObject({ name: 'Offer', archived: true, content: doc(paragraph('Twenty percent')) });
    expect(usedBy).toEqual([id]);
    expect(await textOf(id)).toContain('Twenty percent');
    expect(await textOf(id)).not.toContain('Ten percent');
  });

  it('changes only what is named; an empty description clears', async () => {
    const id = await desk.snippet('Kept', doc(paragraph('Kept')));
    expect((await update({ id, description: 'Why' })).snippet).toMatchObject({ name: 'Kept', description: 'Why' });
    expect((await update({ id, description: '' })).snippet).toMatchObject({
      description: null,
      content: doc(paragraph('Kept')),
    });
    expect((await update({ id, name: 'KEPT' })).snippet).toMatchObject({ name: 'KEPT' });
  });

  it('refuses a name that another snippet has with SNIPPET_NAME_TAKEN', async () => {
    await desk.snippet('First', doc());
    const id = await desk.snippet('Second', doc());
    expect(await refusal({ id, name: 'FIRST' })).toBe('SNIPPET_NAME_TAKEN');
  });

  it('refuses a new name while a draft uses the old one in text with SNIPPET_NAME_IN_USE', async () => {
    const id = await desk.snippet('By name', doc(paragraph('Hi')));
    const byId = await desk.draft({ content: doc({ type: 'snippet', attrs: { snippetId: id } }) });
    const draft = await desk.draft({ name: 'It names it', subject: 'Hello {{ Snippet: "by name" }}' });
    const outcome = await desk.tidings.call('update_email_snippet', { id, name: 'Other' }, desk.ours);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'SNIPPET_NAME_IN_USE' } });
    expect(outcome).toMatchObject({
      error: {
        message: `The snippet is named as {{snippet:By name}} by the campaign "It names it" (${draft.id}). Change them first.`,
      },
    });
    expect(JSON.stringify(outcome)).not.toContain(byId.id);
    await desk.tidings.data('edit_campaign', { id: draft.id, subject: 'Hello' }, desk.ours);
    await update({ id, name: 'Other' });
    expect(await textOf(byId.id)).toContain('Hi');
  });

  it('lets no campaign take up a name that is changed at the same moment', async () => {
    for (let round = 0; round < 25; round += 1) {
      const id = await desk.snippet(`Round ${round}`, doc(paragraph('Hi')));
      const draft = await desk.draft();
      const edit = { id: draft.id, subject: `{{snippet:Round ${round}}}` };
      const [edited, renamed] = await Promise.all([
        desk.tidings.call('edit_campaign', edit, desk.ours),
        desk.tidings.call('update_email_snippet', { id, name: `Renamed ${round}` }, desk.ours),
      ]);
      const refused = [edited, renamed].flatMap((outcome) => (outcome.ok ? [] : [outcome.error.reason]));
      expect([['SNIPPET_NOT_FOUND'], ['SNIPPET_NAME_IN_USE']]).toContainEqual(refused);
    }
  });

  it('refuses bad content with CONTENT_INVALID, no change with NOTHING_TO_CHANGE', async () => {
    const id = await desk.snippet('Unchanged', doc(paragraph('Hi')));
    expect(await refusal({ id, content: doc({ type: 'nonsense' }) })).toBe('CONTENT_INVALID');
    expect(await refusal({ id })).toBe('NOTHING_TO_CHANGE');
    const after = await desk.tidings.data('get_email_snippet', { id }, desk.ours);
    expect(after).toMatchObject({ snippet: { content: doc(paragraph('Hi')) } });
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet, which stays', async () => {
    const foreign = await desk.snippet('Theirs', doc(paragraph('Theirs')), desk.theirs);
    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await refusal({ id, name: 'Mine' })).toBe('SNIPPET_NOT_FOUND');
    }
    const after = await desk.tidings.data('get_email_snippet', { id: foreign }, desk.theirs);
    expect(after).toMatchObject({ snippet: { name: 'Theirs' } });
  });
});
