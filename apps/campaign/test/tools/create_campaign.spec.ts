import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph, shownTo, unsubscribeFooter } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('create_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());

  const create = (input: object, tenant = fixture.tenant) =>
    fixture.harness.data<{ campaign: CampaignData; campaignId: string; warnings: { code: string }[] }>(
      'create_campaign',
      { subject: 'Hello', ...input },
      tenant,
    );
  const refusal = (input: object) =>
    fixture.harness.refusal('create_campaign', { subject: 'Hello', ...input }, fixture.tenant);
  const issues = async (input: object) => {
    const outcome = await fixture.harness.call('create_campaign', { subject: 'Hello', ...input }, fixture.tenant);
    return outcome.ok ? [] : outcome.error.issues!.map(({ path }) => path.join('.'));
  };

  it('makes a DRAFT from a subject alone: default template, default sender, no filters', async () => {
    const { campaign, campaignId, warnings } = await create({});
    expect(campaign).toMatchObject({
      id: campaignId,
      name: 'Untitled',
      subject: 'Hello',
      preview: null,
      contentType: 'MAILY',
      status: 'DRAFT',
      replyTo: null,
      recipientFilters: [],
      sender: { id: campaign.senderId, name: 'Ours', email: expect.stringMatching(/^hello@/) },
      createdAt: campaign.updatedAt,
    });
    expect(JSON.stringify(campaign.content)).toContain('{{unsubscribeUrl}}');
    expect(JSON.stringify(campaign.content)).toContain('firstName');
    expect(warnings).toEqual([expect.objectContaining({ code: 'CONTENT_UNTOUCHED' })]);
    expect(await fixture.get(campaignId)).toEqual(campaign);
  });

  it('warns of variables that mean nothing here, and says which was meant', async () => {
    await fixture.harness.data('create_custom_field', { name: 'Plan' }, fixture.tenant);
    const text = (variables: string) => ({
      contentType: 'MARKDOWN',
      content: `${variables} [Leave]({{unsubscribeUrl}})`,
    });
    const { warnings } = await create({
      subject: "Hello {{fristName | 'friend'}}",
      ...text("{{fields.Plan | 'none'}} {{plan | 'none'}} {{org-name}} {{zzzzzz | 'x'}}"),
    });
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'VARIABLE_UNKNOWN', message: expect.stringContaining('mean {{firstName}}?') }),
      expect.objectContaining({ code: 'VARIABLE_UNKNOWN', message: expect.stringContaining('mean {{Plan}}?') }),
      {
        code: 'VARIABLE_UNKNOWN',
        message: '{{zzzzzz}} is no variable, and no custom field has this name.',
      },
    ]);
    expect((await create(text("{{PLAN | 'none'}} {{firstname | 'you'}}"))).warnings).toEqual([]);
  });

  it('warns of no former name of a custom field, which goes on meaning it', async () => {
    const made = await fixture.harness.data<{ customField: { id: string } }>(
      'create_custom_field',
      { name: 'Town' },
      fixture.tenant,
    );
    await fixture.harness.data('rename_custom_field', { fieldId: made.customField.id, name: 'City' }, fixture.tenant);
    const written = { contentType: 'MARKDOWN', content: "{{town | 'x'}} {{city | 'x'}} [Leave]({{unsubscribeUrl}})" };
    expect((await create(written)).warnings).toEqual([]);
  });

  it('has a default template with an unsubscribe link for every content type', async () => {
    for (const contentType of ['maily', 'PLATE', 'MARKDOWN']) {
      const { campaign } = await create({ contentType });
      expect(campaign.contentType).toBe(contentType.toUpperCase());
      expect(JSON.stringify(campaign.content)).toContain('{{unsubscribeUrl}}');
    }
  });

  it('takes a document as object or JSON text, Plate’s array, and Markdown', async () => {
    const document = doc(paragraph('Spring is here.'));
    for (const content of [document, JSON.stringify(document)]) {
      expect((await create({ content })).campaign.content).toEqual(document);
    }
    const plate = [{ type: 'p', children: [{ text: 'Spring is here.' }] }];
    expect((await create({ content: plate, contentType: 'PLATE' })).campaign.content).toEqual(document);
    const markdown = '# Spring\n\nis here.';
    expect((await create({ content: markdown, contentType: 'MARKDOWN' })).campaign.content).toBe(markdown);
  });

  it('keeps characters that a database cannot hold out of content', async () => {
    const content = doc(paragraph('a\u0000b \ud83d \\u0000 🌱'));
    const { campaign } = await create({ content });
    expect(JSON.stringify(campaign.content)).toMatch(/a\ufffd?b \ufffd \\\\u0000 🌱/);
  });

  it('keeps preview and reply address, and clears them by null or nothing', async () => {
    const kept = (await create({ preview: ' In brief ', replyTo: ['ada@acme.example'] })).campaign;
    expect(kept).toMatchObject({ preview: 'In brief', replyTo: 'ada@acme.example' });
    expect((await create({ preview: null, replyTo: null })).campaign).toMatchObject({ preview: null, replyTo: null });
    expect((await create({ preview: '', replyTo: '' })).campaign).toMatchObject({ preview: null, replyTo: null });
  });

  it('makes one line of a subject', async () => {
    expect((await create({ subject: 'Hello\r\nBcc: x@example.com' })).campaign.subject).toBe(
      'Hello Bcc: x@example.com',
    );
  });

  it('warns of what an author should look at', async () => {
    const content = doc({ type: 'image', attrs: { src: 'http://acme.example/a.png' } }, unsubscribeFooter);
    const { warnings } = await create({ content, subject: 'x'.repeat(151) });
    expect(warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['IMAGE_ALT_MISSING', 'LINK_NOT_HTTPS', 'SUBJECT_LONG']),
    );
  });

  it('leaves senderId null where the organization has no sender', async () => {
    const alone = await fixture.found('Alone');
    await fixture.harness.dataSource('domain').query(`delete from sender where display_name = 'Alone'`);
    expect((await create({}, alone)).campaign).toMatchObject({ senderId: null, sender: null });
  });

  it('makes the first history entry, by the door it came through', async () => {
    const { campaignId } = await create({});
    expect(await fixture.history(campaignId)).toMatchObject([{ source: 'ai', subject: 'Hello' }]);
    const byHand = await fixture.harness.call('create_campaign', { subject: 'By hand' }, fixture.tenant, {
      source: 'v1',
    });
    const { campaignId: other } = (byHand as { data: { campaignId: string } }).data;
    expect(await fixture.history(other)).toMatchObject([{ source: 'manual', subject: 'By hand' }]);
  });

  it('refuses content with CONTENT_INVALID, naming every place', async () => {
    const content = doc(
      paragraph('fine'),
      { type: 'paragraf', content: [] },
      { type: 'image', attrs: { src: 'javascript:x' } },
    );
    expect(await refusal({ content })).toBe('CONTENT_INVALID');
    expect(new Set(await issues({ content }))).toEqual(new Set(['content.content.1', 'content.content.2.attrs.src']));
    expect(await refusal({ content: 'not JSON' })).toBe('CONTENT_INVALID');
    expect(await refusal({ content: doc(), contentType: 'MARKDOWN' })).toBe('CONTENT_INVALID');
  });

  it('refuses conditional blocks whose filters name nothing with CONTENT_INVALID, at their place', async () => {
    const content = doc(paragraph('for all'), paragraph('for some', shownTo('nobody-has-this')));
    expect(await refusal({ content })).toBe('CONTENT_INVALID');
    expect((await issues({ content }))[0]).toMatch(/^content\.content\.1\.attrs\.showIf\.0/);
  });

  it('refuses a conditional block whose segment names a deleted target with FILTER_TARGET_GONE', async () => {
    await fixture.people(1, 'soon-gone');
    const showIf = [await fixture.segmentWithout('soon-gone')];
    await fixture.dropTag('soon-gone');
    expect(await refusal({ content: doc(paragraph('for some', { showIf })) })).toBe('FILTER_TARGET_GONE');
  });

  it('refuses unknown snippets with SNIPPET_NOT_FOUND, wherever they are named', async () => {
    await fixture.snippet('Theirs', doc(paragraph('secret')), fixture.otherTenant);
    expect(await refusal({ content: doc({ type: 'snippet', attrs: { snippetId: newId('snp') } }) })).toBe(
      'SNIPPET_NOT_FOUND',
    );
    expect(await refusal({ content: '{{snippet:Theirs}}', contentType: 'MARKDOWN' })).toBe('SNIPPET_NOT_FOUND');
    expect(await refusal({ subject: 'Hello {{snippet:Theirs}}' })).toBe('SNIPPET_NOT_FOUND');
  });

  it('notes which snippets it names, by id and by name', async () => {
    const byId = await fixture.snippet('Signature', doc(paragraph('Ada')));
    await fixture.snippet('Legal Note', doc(paragraph('Small print')));
    const content = doc({ type: 'snippet', attrs: { snippetId: byId } }, paragraph('{{snippet:legal note}}'));
    const { campaignId } = await create({ content });
    const uses = await fixture.harness
      .dataSource('campaign')
      .query<object[]>('select 1 from snippet_use u join snippet s using (organization_id, snippet_id)');
    expect(uses).toHaveLength(2);
    await fixture.harness.data('edit_campaign', { id: campaignId, content: doc(paragraph('none')) }, fixture.tenant);
    expect(await fixture.harness.dataSource('campaign').query('select 1 from snippet_use')).toEqual([]);
  });

  it('refuses a sender that is unknown or another organization’s with SENDER_NOT_FOUND', async () => {
    const { senderId } = (await create({}, fixture.otherTenant)).campaign;
    for (const id of [senderId, newId('snd'), 'nonsense']) {
      expect(await refusal({ senderId: id })).toBe('SENDER_NOT_FOUND');
    }
  });

  it('refuses parameters with PARAMETERS_INVALID', async () => {
    expect(await refusal({ subject: ' ' })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ subject: '\u0000' })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ subject: 'x'.repeat(999) })).toBe('PARAMETERS_INVALID');
    expect(await refusal({ contentType: 'HTML' })).toBe('PARAMETERS_INVALID');
    expect(await issues({ replyTo: 'nobody' })).toEqual(['replyTo']);
    expect(await issues({ sender: 'x' })).toEqual(['sender']);
  });
});
