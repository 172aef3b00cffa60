import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';

describe('autosave_campaign', () => {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
  });
  afterAll(() => fixture.close());

  const autosave = (input: object) =>
    fixture.harness.data<{ updatedAt: string; warnings: unknown[] }>('autosave_campaign', input, fixture.tenant);
  const refusal = (input: object) => fixture.harness.refusal('autosave_campaign', input, fixture.tenant);

  it('saves the fields that it names as one autosave of the history', async () => {
    const { id, updatedAt } = await fixture.draft();
    await autosave({ id, subject: 'First' });
    const saved = await autosave({ id, preview: 'Peas', contentType: 'MARKDOWN', content: '# Hello' });
    expect(saved).toEqual({ campaignId: id, updatedAt: expect.any(String), warnings: expect.any(Array) });
    expect(saved.updatedAt > updatedAt).toBe(true);
    expect(await fixture.get(id)).toMatchObject({ subject: 'First', preview: 'Peas', content: '# Hello' });
    expect((await fixture.history(id)).map(({ source }) => source)).toEqual(['ai', 'autosave']);
  });

  it('refuses a campaign that is not a DRAFT with CAMPAIGN_NOT_DRAFT', async () => {
    const { id } = await fixture.draft();
    await fixture.harness.data('archive_campaign', { campaignId: id }, fixture.tenant);
    expect(await refusal({ id, subject: 'No' })).toBe('CAMPAIGN_NOT_DRAFT');
  });

  it('refuses a call without a change with NOTHING_TO_CHANGE', async () => {
    const { id } = await fixture.draft();
    expect(await refusal({ id })).toBe('NOTHING_TO_CHANGE');
  });

  it('refuses content that cannot be read with CONTENT_INVALID, and a type without content with PARAMETERS_INVALID', async () => {
    const { id } = await fixture.draft();
    expect(await refusal({ id, contentType: 'MAILY', content: { type: 'none' } })).toBe('CONTENT_INVALID');
    expect(await refusal({ id, contentType: 'MARKDOWN' })).toBe('PARAMETERS_INVALID');
  });

  it('refuses references to what does not exist as edit_campaign does', async () => {
    const { id } = await fixture.draft();
    const content = 'Hello {{snippet:None}}';
    // Of the refusals of edit_campaign, CONTENT_AND_OPERATIONS, OPERATION_FAILED and SENDER_NOT_FOUND need parameters that
    // this tool does not have, and FILTER_TARGET_GONE a target that was deleted; edit_campaign.spec.ts asserts them.
    expect(await refusal({ id, contentType: 'MARKDOWN', content })).toBe('SNIPPET_NOT_FOUND');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign, which stays', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal({ id: foreign.id, subject: 'Stolen' })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ id: newId('cmp'), subject: 'No' })).toBe('CAMPAIGN_NOT_FOUND');
    expect((await fixture.get(foreign.id, fixture.otherTenant)).subject).toBe('Hello');
  });
});
