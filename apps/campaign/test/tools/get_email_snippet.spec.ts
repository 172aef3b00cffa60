import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk, doc, paragraph } from '../campaign-fixture.js';

describe('get_email_snippet', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const get = (id: string) => desk.tidings.data<{ usedBy: string[] }>('get_email_snippet', { id }, desk.ours);

  it('shows the content and every campaign that holds it, by node or by name, and no longer one that dropped it', async () => {
    const id = await desk.snippet('Signature', doc(paragraph('Your team')));
    const byNode = await desk.draft({ content: doc({ type: 'snippet', attrs: { snippetId: id } }) });
    const byName = await desk.draft({ preview: '{{snippet:signature}}' });
    expect(await get(id)).toMatchObject({
      snippetId: id,
      snippet: { id, name: 'Signature', content: doc(paragraph('Your team')), archived: false },
      usedBy: [byName.id, byNode.id],
    });
    await desk.tidings.data('edit_campaign', { id: byName.id, preview: null }, desk.ours);
    expect((await get(id)).usedBy).toEqual([byNode.id]);
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet', async () => {
    const foreign = await desk.snippet('Theirs', doc(), desk.theirs);
    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await desk.tidings.refusal('get_email_snippet', { id }, desk.ours)).toBe('SNIPPET_NOT_FOUND');
    }
  });
});
