import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('get_email_snippet', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const get = (id: string) => fixture.harness.data<{ usedBy: string[] }>('get_email_snippet', { id }, fixture.tenant);

  it('shows the content and every campaign that holds it, by node or by name, and no longer one that dropped it', async () => {
    const id = await fixture.snippet('Signature', doc(paragraph('Your team')));
    const byNode = await fixture.draft({ content: doc({ type: 'snippet', attrs: { snippetId: id } }) });
    const byName = await fixture.draft({ preview: '{{snippet:signature}}' });
    expect(await get(id)).toMatchObject({
      snippetId: id,
      snippet: { id, name: 'Signature', content: doc(paragraph('Your team')), archived: false },
      usedBy: [byName.id, byNode.id],
    });
    await fixture.harness.data('edit_campaign', { id: byName.id, preview: null }, fixture.tenant);
    expect((await get(id)).usedBy).toEqual([byNode.id]);
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet', async () => {
    const foreign = await fixture.snippet('Theirs', doc(), fixture.otherTenant);
    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await fixture.harness.refusal('get_email_snippet', { id }, fixture.tenant)).toBe('SNIPPET_NOT_FOUND');
    }
  });
});
