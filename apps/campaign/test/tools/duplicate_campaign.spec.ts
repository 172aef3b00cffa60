import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph, unsubscribeFooter } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

describe('duplicate_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    await fixture.people(2, 'customer');
  });

  const duplicate = async (input: object) =>
    (await fixture.harness.data<{ campaign: CampaignData }>('duplicate_campaign', input, fixture.tenant)).campaign;
  const refusal = (input: object) => fixture.harness.refusal('duplicate_campaign', input, fixture.tenant);

  it('copies content, sender, reply address and filters as a DRAFT with a history of its own', async () => {
    const snippetId = await fixture.snippet('Greeting', doc(paragraph('Hi')));
    const content = doc({ type: 'snippet', attrs: { snippetId } }, unsubscribeFooter);
    const { id } = await fixture.draft({ content, preview: 'In brief', replyTo: 'ada@acme.example' });
    const filters = [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }];
    await fixture.harness.data('update_campaign_filters', { campaignId: id, filters }, fixture.tenant);
    await fixture.sendNow(id);
    const original = await fixture.get(id);
    expect(original.status).toBe('SENDING');

    const copy = await duplicate({ campaignId: id, newName: 'Summer news' });
    const { content: copied, senderId, sender, replyTo, recipientFilters, preview, subject, contentType } = original;
    expect(copy).toMatchObject({ senderId, sender, replyTo, recipientFilters, preview, subject, contentType });
    expect(copy).toMatchObject({ name: 'Summer news', status: 'DRAFT', content: copied, startedAt: null });
    expect(copy.id).not.toBe(id);
    expect((await fixture.history(copy.id)).map(({ source }) => source)).toEqual(['ai']);
    expect(await fixture.get(id)).toEqual(original);
    const snippet = await fixture.harness.data<{ usedBy: string[] }>(
      'get_email_snippet',
      { id: snippetId },
      fixture.tenant,
    );
    expect(snippet.usedBy.sort()).toEqual([id, copy.id].sort());
  });

  it('names the copy after the original, within what a name may hold', async () => {
    const { id } = await fixture.draft({ name: 'News' });
    expect((await duplicate({ campaignId: id })).name).toBe('News (copy)');
    const long = await fixture.draft({ name: 'x'.repeat(255) });
    expect((await duplicate({ campaignId: long.id })).name).toBe(`${'x'.repeat(248)} (copy)`);
  });

  it('refuses a name of nothing but control characters with PARAMETERS_INVALID', async () => {
    const { id } = await fixture.draft();
    expect(await refusal({ campaignId: id, newName: '\u0001\u0002' })).toBe('PARAMETERS_INVALID');
  });

  it('answers CAMPAIGN_NOT_FOUND for an unknown or another organization’s campaign', async () => {
    const foreign = await fixture.draft({}, fixture.otherTenant);
    expect(await refusal({ campaignId: foreign.id })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: newId('cmp') })).toBe('CAMPAIGN_NOT_FOUND');
    const { total } = await fixture.harness.data<{ total: number }>('list_campaigns', {}, fixture.otherTenant);
    expect(total).toBe(1);
  });
});
