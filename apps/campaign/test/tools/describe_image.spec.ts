import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { png, Site } from '../image-fixtures.js';

interface Answer {
  imageId: string;
  image: { url: string; name: string; description: string | null };
}

describe('describe_image', () => {
  let fixture: CampaignFixture;
  let site: Site;
  beforeAll(async () => {
    site = await Site.open((_request, response) => response.end(png(2, 2)));
    process.env.FETCH_ALLOWED_ADDRESSES = site.host;
    fixture = await CampaignFixture.open();
    delete process.env.FETCH_ALLOWED_ADDRESSES;
  });
  afterAll(async () => {
    await fixture.close();
    await site.close();
  });

  const upload = (tenant = fixture.tenant) =>
    fixture.harness.data<Answer>('upload_image', { url: site.url('/bed.png'), description: 'Before' }, tenant);
  const set = async (input: object) =>
    (await fixture.harness.data<Answer>('describe_image', input, fixture.tenant)).image;
  const refusal = (input: object) => fixture.harness.refusal('describe_image', input, fixture.tenant);

  it('sets the description, and the name where one is given, by id or by url', async () => {
    const { imageId, image } = await upload();
    expect(await set({ imageId, description: ' After ' })).toMatchObject({ description: 'After', name: 'bed' });
    expect(await set({ url: image.url, description: '', name: 'Bed' })).toMatchObject({
      description: null,
      name: 'Bed',
    });
    expect(await set({ imageId, url: image.url, description: 'Both' })).toMatchObject({ description: 'Both' });
  });

  it('refuses neither id nor url with IDENTIFIER_MISSING, two images with IDENTIFIERS_DISAGREE', async () => {
    const [one, other] = [await upload(), await upload()];
    expect(await refusal({ description: 'x' })).toBe('IDENTIFIER_MISSING');
    expect(await refusal({ imageId: one.imageId, url: other.image.url, description: 'x' })).toBe(
      'IDENTIFIERS_DISAGREE',
    );
  });

  it('answers IMAGE_NOT_FOUND for an unknown image, a strange address, and another organization’s image', async () => {
    const otherTenant = await upload(fixture.otherTenant);
    for (const named of [
      { imageId: otherTenant.imageId },
      { url: otherTenant.image.url },
      { imageId: newId('img') },
      { imageId: 'none' },
      { url: 'https://elsewhere.example/i/' + otherTenant.imageId },
      { url: 'no address' },
    ]) {
      expect(await refusal({ ...named, description: 'Mine' })).toBe('IMAGE_NOT_FOUND');
    }
    const { images } = await fixture.harness.data<{ images: object[] }>('list_images', {}, fixture.otherTenant);
    expect(images).toMatchObject([{ description: 'Before' }]);
  });
});
