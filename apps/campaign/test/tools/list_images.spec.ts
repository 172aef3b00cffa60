import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CampaignFixture } from '../campaign-fixture.js';
import { png, Site } from '../image-fixtures.js';

interface Listed {
  images: { id: string; name: string; url: string }[];
  total: number;
  pageCount: number;
}

describe('list_images', () => {
  let fixture: CampaignFixture;
  let site: Site;
  beforeAll(async () => {
    site = await Site.open((_request, response) => response.end(png(2, 2)));
    process.env.FETCH_ALLOWED_ADDRESSES = site.host;
    fixture = await CampaignFixture.open();
    delete process.env.FETCH_ALLOWED_ADDRESSES;
    const upload = (name: string, description: string, tenant = fixture.tenant) =>
      fixture.harness.data('upload_image', { url: site.url(), name, description }, tenant);
    await upload('Winter', 'Snow on the bed');
    await upload('Spring 100%', 'Peas');
    await upload('Summer', 'BEANS in the bed');
    await upload('Theirs', 'bed', fixture.otherTenant);
  });
  afterAll(async () => {
    await fixture.close();
    await site.close();
  });

  const list = (input: object) => fixture.harness.data<Listed>('list_images', input, fixture.tenant);
  const names = async (input: object) => (await list(input)).images.map(({ name }) => name);

  it('lists newest first, by page', async () => {
    expect(await names({})).toEqual(['Summer', 'Spring 100%', 'Winter']);
    const second = await list({ page: 2, pageSize: 2 });
    expect(second.images.map(({ name }) => name)).toEqual(['Winter']);
    expect(second).toMatchObject({ total: 3, page: 2, pageSize: 2, pageCount: 2 });
    expect(await list({ page: 9 })).toMatchObject({ images: [], total: 3 });
  });

  it('searches name and description without case, signs as they are', async () => {
    expect(await names({ query: 'BED' })).toEqual(['Summer', 'Winter']);
    expect(await names({ query: ' spring ' })).toEqual(['Spring 100%']);
    expect(await names({ query: '100%' })).toEqual(['Spring 100%']);
    expect(await names({ query: '%' })).toEqual(['Spring 100%']);
    expect(await names({ query: 'winter snow' })).toEqual([]);
  });

  it('finds none of a capture page', async () => {
    expect(await list({ capturePageId: 'page_1' })).toMatchObject({ images: [], total: 0, pageCount: 0 });
  });

  it('refuses a page of more than 100', async () => {
    expect(await fixture.harness.refusal('list_images', { pageSize: 101 }, fixture.tenant)).toBe('PARAMETERS_INVALID');
  });
});
