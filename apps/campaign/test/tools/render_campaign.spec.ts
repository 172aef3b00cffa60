import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture, doc, paragraph, shownTo, unsubscribeFooter } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Rendered {
  subject: string;
  preview: string | null;
  html?: string;
  text?: string;
  warnings: { code: string }[];
}

describe('render_campaign', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  let ada: string;
  let bob: string;
  beforeAll(async () => {
    const add = async (input: object, tenant = fixture.tenant) =>
      (await fixture.harness.data<{ subscriber: { id: string } }>('add_subscriber', input, tenant)).subscriber.id;
    ada = await add({ email: 'ada@example.com', name: 'Ada <b>Lovelace', tags: ['vip'], fields: { City: 'London' } });
    bob = await add({ email: 'bob@example.com' });
  });

  const render = (campaignId: string, input: object = {}) =>
    fixture.harness.data<Rendered>('render_campaign', { campaignId, ...input }, fixture.tenant);

  it('personalises for a subscriber, and shows the blocks that are theirs', async () => {
    const content = doc(
      paragraph('Dear {{firstName | "friend"}} from {{City | "somewhere"}}'),
      paragraph('Only for the few', shownTo('vip')),
      unsubscribeFooter,
    );
    const { id } = await fixture.draft({ subject: 'Hi {{name | "you"}}', preview: 'For {{email}}', content });
    const forAda = await render(id, { subscriberId: ada });
    expect(forAda).toMatchObject({ subject: 'Hi Ada <b>Lovelace', preview: 'For ada@example.com' });
    expect(forAda.html).toContain('Dear Ada from London');
    expect(forAda.html).not.toContain('<b>Lovelace');
    expect(forAda.text).toContain('Only for the few');
    const forBob = await render(id, { subscriberId: bob });
    expect(forBob.subject).toBe('Hi you');
    expect(forBob.text).toContain('Dear friend from somewhere');
    expect(forBob.text).not.toContain('Only for the few');
  });

  it('shows every block, fallbacks and names in brackets without a subscriber', async () => {
    const content = doc(paragraph('Dear {{firstName | "friend"}}, {{City}}'), paragraph('For the few', shownTo('vip')));
    const { id } = await fixture.draft({ content });
    const { text, warnings } = await render(id);
    expect(text).toContain('Dear friend, [City]');
    expect(text).toContain('For the few');
    expect(warnings.map(({ code }) => code)).toContain('FALLBACK_MISSING');
  });

  it('inlines snippets, and adds the organization’s footer with its own link only where the content has none', async () => {
    await fixture.snippet('Signature', doc(paragraph('Yours, Ada')));
    const without = await fixture.draft({ content: '{{snippet:Signature}}', contentType: 'MARKDOWN' });
    const rendered = await render(without.id);
    expect(rendered.text).toContain('Yours, Ada');
    expect(rendered.text).toContain('Ours');
    expect(rendered.text!.match(/#unsubscribe/g)).toHaveLength(1);
    const having = await fixture.draft();
    expect((await render(having.id)).text!.match(/#unsubscribe/g)).toHaveLength(1);
  });

  it('uses a new name of the organization at once', async () => {
    const { id } = await fixture.draft();
    expect((await render(id)).text).toContain('Ours');
    await fixture.harness.data('update_organization_settings', { name: 'Theirs' }, fixture.tenant);
    expect((await render(id)).text).toContain('Theirs');
    await fixture.harness.data('update_organization_settings', { name: 'Ours' }, fixture.tenant);
  });

  it('leaves links as they are, since nothing is tracked', async () => {
    const { id } = await fixture.draft({ content: '[Shop](https://acme.example/shop?a=1)', contentType: 'MARKDOWN' });
    expect((await render(id)).html).toContain('href="https://acme.example/shop?a=1"');
  });

  it('answers the format that is asked for', async () => {
    const { id } = await fixture.draft();
    expect(Object.keys(await render(id, { format: 'html' })).sort()).toEqual([
      'html',
      'preview',
      'subject',
      'warnings',
    ]);
    expect(Object.keys(await render(id, { format: 'text' })).sort()).toEqual([
      'preview',
      'subject',
      'text',
      'warnings',
    ]);
  });

  it('refuses with FILTER_TARGET_GONE if a conditional block names a deleted target', async () => {
    await fixture.people(1, 'soon-gone');
    const { id } = await fixture.draft({ content: doc(paragraph('for some', shownTo('soon-gone'))) });
    await fixture.dropTag('soon-gone');
    const input = { campaignId: id, subscriberId: ada };
    expect(await fixture.harness.refusal('render_campaign', input, fixture.tenant)).toBe('FILTER_TARGET_GONE');
  });

  it('refuses with SNIPPET_NOT_FOUND if a named snippet is deleted', async () => {
    const snippet = await fixture.snippet('Short-lived', doc(paragraph('for now')));
    const { id } = await fixture.draft({ subject: 'Hello {{snippet:Short-lived}}' });
    await fixture.dropSnippet(snippet);
    expect(await fixture.harness.refusal('render_campaign', { campaignId: id }, fixture.tenant)).toBe(
      'SNIPPET_NOT_FOUND',
    );
  });

  it('returns SUBSCRIBER_NOT_FOUND and CAMPAIGN_NOT_FOUND for unknown ids and ids of another organization', async () => {
    const tenant = await fixture.draft();
    const otherTenant = await fixture.draft({}, fixture.otherTenant);
    const refusal = (input: object, tenant = fixture.tenant) =>
      fixture.harness.refusal('render_campaign', input, tenant);
    expect(await refusal({ campaignId: otherTenant.id })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: newId('cmp') })).toBe('CAMPAIGN_NOT_FOUND');
    expect(await refusal({ campaignId: tenant.id, subscriberId: newId('sub') })).toBe('SUBSCRIBER_NOT_FOUND');
    expect(await refusal({ campaignId: otherTenant.id, subscriberId: ada }, fixture.otherTenant)).toBe(
      'SUBSCRIBER_NOT_FOUND',
    );
  });
});
