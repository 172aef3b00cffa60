import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imageRequests } from '#contracts';
import { newId } from '#database';
import { CampaignFixture } from '../campaign-fixture.js';
import { png, Site } from '../image-fixtures.js';

describe('delete_image', () => {
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
    fixture.harness.data<{ imageId: string; image: { url: string } }>(
      'upload_image',
      { url: site.url('/bed.png') },
      tenant,
    );
  const describing = (imageId: string) => fixture.harness.describe('delete_image', { imageId }, fixture.tenant);
  const file = async (imageId: string) =>
    (await fixture.harness.client(imageRequests).get_image_file({ imageId }, fixture.harness.caller(fixture.tenant)))
      .file;

  it('deletes the image with its bytes', async () => {
    const { imageId } = await upload();
    expect(await describing(imageId)).toMatchObject({
      data: { message: "Deletes the image 'bed'. No campaign or snippet shows it." },
    });
    expect(await file(imageId)).not.toBeNull();
    expect(await fixture.harness.data('delete_image', { imageId }, fixture.tenant)).toEqual({ deleted: true, imageId });
    expect(await file(imageId)).toBeNull();
    expect(await fixture.harness.data('list_images', {}, fixture.tenant)).toMatchObject({ total: 0 });
  });

  it('states before it deletes what shows the image', async () => {
    const { imageId, image } = await upload();
    const content = `![A bed](${image.url})`;
    await fixture.draft({ name: 'May news', contentType: 'MARKDOWN', content });
    expect(await describing(imageId)).toMatchObject({
      data: { message: "Deletes the image 'bed'. It is shown by May news." },
    });
  });

  it('answers IMAGE_NOT_FOUND for an unknown or another organization’s image, which stays', async () => {
    const foreign = await upload(fixture.otherTenant);
    for (const imageId of [foreign.imageId, newId('img'), 'none']) {
      expect(await fixture.harness.refusal('delete_image', { imageId }, fixture.tenant)).toBe('IMAGE_NOT_FOUND');
      expect(await describing(imageId)).toMatchObject({ ok: false, error: { reason: 'IMAGE_NOT_FOUND' } });
    }
    expect(await file(foreign.imageId)).not.toBeNull();
  });
});
