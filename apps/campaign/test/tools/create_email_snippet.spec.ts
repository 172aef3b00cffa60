import { describe, expect, it } from '@jest/globals';
import { CampaignFixture, doc, paragraph, shownTo } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('create_email_snippet', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const create = (input: object, tenant = fixture.tenant) =>
    fixture.harness.data<{ snippetId: string; snippet: object; warnings: { code: string }[] }>(
      'create_email_snippet',
      input,
      tenant,
    );
  const refusal = (input: object) => fixture.harness.refusal('create_email_snippet', input, fixture.tenant);

  it('makes a snippet that campaigns can hold by node and by name', async () => {
    const { snippetId, snippet } = await create({
      name: '  Signature ',
      description: 'How we end',
      content: JSON.stringify(doc(paragraph('Your team'))),
    });
    expect(snippetId).toMatch(/^snp_[0-9a-z]{26}$/);
    expect(snippet).toMatchObject({
      id: snippetId,
      name: 'Signature',
      description: 'How we end',
      archived: false,
      variable: '{{snippet:Signature}}',
      content: doc(paragraph('Your team')),
    });
    const content = doc({ type: 'snippet', attrs: { snippetId } }, paragraph('and {{snippet:signature}}'));
    const { id } = await fixture.draft({ content });
    const { text } = await fixture.harness.data<{ text: string }>(
      'render_campaign',
      { campaignId: id },
      fixture.tenant,
    );
    expect(text.match(/Your team/g)).toHaveLength(2);
  });

  it('is empty without content, and warns of what an author should look at', async () => {
    expect((await create({ name: 'Empty' })).snippet).toMatchObject({ content: doc(), description: null });
  });

  it('refuses a name that is taken in any case with SNIPPET_NAME_TAKEN, also when two calls meet', async () => {
    const { snippetId } = await create({ name: 'Größe' });
    const outcome = await fixture.harness.call('create_email_snippet', { name: 'GRÖßE' }, fixture.tenant);
    expect(outcome).toMatchObject({ ok: false, error: { reason: 'SNIPPET_NAME_TAKEN' } });
    expect(JSON.stringify(outcome)).toContain(snippetId);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => fixture.harness.call('create_email_snippet', { name: 'Racing' }, fixture.tenant)),
    );
    expect(outcomes.map((one) => (one.ok ? 'made' : one.error.reason)).sort()).toEqual([
      'SNIPPET_NAME_TAKEN',
      'SNIPPET_NAME_TAKEN',
      'made',
    ]);
  });

  it('leaves another organization its names', async () => {
    await create({ name: 'Shared name' }, fixture.otherTenant);
    await create({ name: 'Shared name' });
  });

  it('refuses unknown nodes, a snippet within, and blocks that name something unknown with CONTENT_INVALID', async () => {
    const { snippetId } = await create({ name: 'Inner' });
    for (const content of [
      doc({ type: 'nonsense' }),
      doc({ type: 'snippet', attrs: { snippetId } }),
      doc(paragraph('{{snippet:Inner}}')),
      doc(paragraph('for some', shownTo('nobody-has-it'))),
    ]) {
      expect(await refusal({ name: 'Outer', content })).toBe('CONTENT_INVALID');
    }
    const outcome = await fixture.harness.call(
      'create_email_snippet',
      { name: 'Outer', content: doc(paragraph('fine'), { type: 'nonsense' }) },
      fixture.tenant,
    );
    expect(outcome).toMatchObject({ ok: false, error: { issues: [{ path: expect.arrayContaining(['content', 1]) }] } });
  });

  it('refuses a name that no variable could hold', async () => {
    for (const name of ['', 'a{b', 'a}}', 'a\nb', '"a"']) expect(await refusal({ name })).toBe('PARAMETERS_INVALID');
  });
});
