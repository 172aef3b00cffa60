import { beforeAll, describe, expect, it } from '@jest/globals';
import { CampaignFixture } from '../campaign-fixture.js';
import type { CampaignData } from '../campaign-fixture.js';
import { useFixture } from '../../../../test/harness/use-fixture.js';

interface Page {
  campaigns: CampaignData[];
  total: number;
  page: number;
  limit: number;
  pageCount: number;
}

describe('list_campaigns', () => {
  const fixture = useFixture(() => CampaignFixture.open());
  beforeAll(async () => {
    for (const [name, subject] of [
      ['Spring 100%', 'Élan'],
      ['Summer_sale', 'Hello'],
      ['Autumn', 'spring again'],
      ['Old', 'Archived'],
    ]) {
      const { id } = await fixture.draft({ name, subject });
      if (name === 'Old') await fixture.age(id, `status = 'ARCHIVED'`);
    }
    await fixture.draft({ name: 'Foreign' }, fixture.otherTenant);
  });

  const list = (input: object) => fixture.harness.data<Page>('list_campaigns', input, fixture.tenant);
  const names = async (input: object) => (await list(input)).campaigns.map(({ name }) => name);

  it('lists newest first, without content, ARCHIVED ones only when asked for', async () => {
    const { campaigns, ...rest } = await list({});
    expect(campaigns.map(({ name }) => name)).toEqual(['Autumn', 'Summer_sale', 'Spring 100%']);
    expect(rest).toEqual({ total: 3, page: 1, limit: 20, pageCount: 1 });
    expect(campaigns[0]).not.toHaveProperty('content');
    expect(await names({ status: 'archived' })).toEqual(['Old']);
    expect(await names({ status: 'DRAFT' })).toHaveLength(3);
    expect(await names({ status: 'SENT' })).toEqual([]);
  });

  it('hides campaigns of another organization', async () => {
    expect(await names({ query: 'Foreign' })).toEqual([]);
    const otherTenant = await fixture.harness.data<Page>('list_campaigns', {}, fixture.otherTenant);
    expect(otherTenant.campaigns.map(({ name }) => name)).toEqual(['Foreign']);
  });

  it('pages, and says how many there are also beyond the end', async () => {
    expect(await list({ limit: 2, page: 1 })).toMatchObject({ total: 3, page: 1, limit: 2, pageCount: 2 });
    expect(await names({ limit: 2, page: 2 })).toEqual(['Spring 100%']);
    expect(await list({ limit: 2, page: 3 })).toMatchObject({ campaigns: [], total: 3, pageCount: 2 });
  });

  it('finds text in name or subject, in any case, taken literally', async () => {
    expect(await names({ query: ' SPRING ' })).toEqual(['Autumn', 'Spring 100%']);
    expect(await names({ query: 'éLAN' })).toEqual(['Spring 100%']);
    expect(await names({ query: '100%' })).toEqual(['Spring 100%']);
    expect(await names({ query: 'r_s' })).toEqual(['Summer_sale']);
    expect(await names({ query: '%' })).toEqual(['Spring 100%']);
    expect(await names({ query: '\\' })).toEqual([]);
    expect(await names({ query: 'sale hello' })).toEqual([]);
    expect(await names({ query: '' })).toHaveLength(3);
    expect(await names({ query: 'foreign' })).toEqual([]);
    expect(await names({ query: '\u0000' })).toHaveLength(3);
  });

  it('refuses a page or limit out of range with PARAMETERS_INVALID', async () => {
    for (const input of [{ limit: 0 }, { limit: 101 }, { page: 0 }, { status: 'GONE' }]) {
      expect(await fixture.harness.refusal('list_campaigns', input, fixture.tenant)).toBe('PARAMETERS_INVALID');
    }
  });
});
