import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('unarchive_email_snippet', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const call = (tool: string, id: string, tenant = fixture.tenant) =>
    fixture.harness.data<{ snippet: { archived: boolean; updatedAt: string } }>(tool, { id }, tenant);

  it('shows the snippet again, with its content; once more changes nothing', async () => {
    const id = await fixture.snippet('Signature', doc(paragraph('Your team')));
    await call('archive_email_snippet', id);
    const { snippet } = await call('unarchive_email_snippet', id);
    expect(snippet).toMatchObject({ archived: false, content: doc(paragraph('Your team')) });
    expect((await call('unarchive_email_snippet', id)).snippet).toEqual(snippet);
  });

  it('answers SNIPPET_NOT_FOUND for an unknown or another organization’s snippet, which stays', async () => {
    const foreign = await fixture.snippet('Theirs', doc(), fixture.otherTenant);
    await call('archive_email_snippet', foreign, fixture.otherTenant);
    for (const id of [foreign, newId('snp'), 'none']) {
      expect(await fixture.harness.refusal('unarchive_email_snippet', { id }, fixture.tenant)).toBe(
        'SNIPPET_NOT_FOUND',
      );
    }
    const { snippet } = await call('get_email_snippet', foreign, fixture.otherTenant);
    expect(snippet.archived).toBe(true);
  });
});
