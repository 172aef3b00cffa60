import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { Desk, doc, paragraph } from '../campaign-fixture.js';

describe('unarchive_email_snippet', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.close());

  const call = (tool: string, id: string, tenant = desk.ours) =>
    desk.tidings.data<{ snippet: { archived: boolean; updatedAt: string } }>(tool, { id }, tenant);

  it('shows the snippet again, with its content; once more changes nothing', async () => {
    const id = await desk.snippet('Signature', doc(paragraph('Your team')));
    await call('archive_email_snippet', id);
    const { snippet } = await call('unarchive_email_snippet', id);
    expect(snippet).toMatchObject({ archived: false, content: doc(paragraph('Your team')) });
    expect((await call('unarchive_email_snippet', id)).snippet).toEqual(snippet);
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet, which stays', async () => {
    const foreign = await desk.snippet('Theirs', doc(), desk.theirs);
    await call('archive_email_snippet', foreign, desk.theirs);
    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await desk.tidings.refusal('unarchive_email_snippet', { id }, desk.ours)).toBe('SNIPPET_NOT_FOUND');
    }
    const { snippet } = await call('get_email_snippet', foreign, desk.theirs);
    expect(snippet.archived).toBe(true);
  });
});
