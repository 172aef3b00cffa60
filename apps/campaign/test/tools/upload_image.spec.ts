import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imageRequests } from '#contracts';
import type { ImageType } from '../../src/image/read-image.js';
import { stripMetadata } from '../../src/image/strip-metadata.js';
import { CampaignFixture } from '../campaign-fixture.js';
import { gif, jpeg, picture, png, Site } from '../image-fixtures.js';

interface Uploaded {
  imageId: string;
  image: { id: string; url: string; name: string; description: string | null; width: number; contentType: string };
}
const limit = 2 * 1024 * 1024;
const files: Record<string, Buffer> = {
  '/bed.png': png(640, 480),
  '/photo.jpg': await picture('jpeg', 1024, 768),
  '/dance.gif': gif(30, 20, 3),
  '/new.webp': await picture('webp', 400, 300),
  '/just.gif': Buffer.concat([gif(30, 20), Buffer.alloc(limit - 1 - gif(30, 20).length)]),
  '/large.png': Buffer.concat([png(640, 480), Buffer.alloc(limit - png(640, 480).length)]),
  '/vector.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  '/page.png': Buffer.from('<!doctype html><p>Not found</p>'),
  '/bomb.png': png(30_000, 30_000),
  '/dances.gif': gif(2000, 2000, 26),
  '/frame.jpg': jpeg(64, 48),
  '/cut.png': png(640, 480).subarray(0, -20),
};

describe('upload_image', () => {
  let fixture: CampaignFixture;
  let site: Site;
  beforeAll(async () => {
    site = await Site.open((request, response) => {
      const bytes = files[request.url!.split('?')[0]!];
      // What a server says of its files is not believed.
      response.writeHead(bytes ? 200 : 404, { 'content-type': 'image/svg+xml' }).end(bytes);
    });
    process.env.FETCH_ALLOWED_ADDRESSES = site.host;
    fixture = await CampaignFixture.open();
    delete process.env.FETCH_ALLOWED_ADDRESSES;
  });
  afterAll(async () => {
    await fixture.close();
    await site.close();
  });

  const upload = (path: string, more: object = {}) =>
    fixture.harness.data<Uploaded>('upload_image', { url: site.url(path), ...more }, fixture.tenant);
  const refusal = (url: string) => fixture.harness.refusal('upload_image', { url }, fixture.tenant);

  it.each<[string, ImageType, number, number, string]>([
    ['/bed.png', 'image/png', 640, 480, 'png'],
    ['/photo.jpg', 'image/jpeg', 1024, 768, 'jpg'],
    ['/dance.gif', 'image/gif', 30, 20, 'gif'],
    ['/new.webp', 'image/webp', 400, 300, 'webp'],
    ['/just.gif', 'image/gif', 30, 20, 'gif'],
  ])(
    'hosts %s as what it is, without what a camera wrote into it',
    async (path, contentType, width, height, extension) => {
      const { image, imageId } = await upload(path);
      const kept = stripMetadata(files[path]!, { contentType });
      expect(image).toMatchObject({ id: imageId, contentType, width, height, bytes: kept.length, description: null });
      expect(image.url).toBe(`http://localhost:3000/i/${imageId}.${extension}`);
      const { file } = await fixture.harness
        .client(imageRequests)
        .get_image_file({ imageId }, fixture.harness.caller({ organizationId: '' }));
      expect(file!.contentType).toBe(contentType);
      expect(Buffer.from(file!.content, 'base64').equals(kept)).toBe(true);
    },
  );

  it('takes name and description, or the name of the file', async () => {
    const named = await upload('/bed.png', { name: ' Spring\u0000bed ', description: 'Peas\u0000 ' });
    expect(named.image).toMatchObject({ name: 'Spring bed', description: 'Peas' });
    expect((await upload('/bed.png?v=2')).image.name).toBe('bed');
  });

  it('refuses 2 MB and more with IMAGE_TOO_LARGE', async () => {
    expect(await refusal(site.url('/large.png'))).toBe('IMAGE_TOO_LARGE');
  });

  it.each([
    ['/vector.svg', 'IMAGE_INVALID'],
    ['/page.png', 'IMAGE_INVALID'],
    ['/frame.jpg', 'IMAGE_DAMAGED'],
    ['/cut.png', 'IMAGE_DAMAGED'],
    ['/bomb.png', 'IMAGE_DIMENSIONS_TOO_LARGE'],
    ['/dances.gif', 'IMAGE_DIMENSIONS_TOO_LARGE'],
  ])('refuses %s with %s', async (path, reason) => {
    expect(await refusal(site.url(path))).toBe(reason);
  });

  it('refuses missing and non-public addresses with the same URL_NOT_FETCHABLE text', async () => {
    const messages = new Set<string>();
    for (const url of [site.url('/none.png'), 'http://127.0.0.1:1/', 'http://169.254.169.254/', 'http://[::1]/x.png']) {
      const outcome = await fixture.harness.call('upload_image', { url }, fixture.tenant);
      expect(outcome).toMatchObject({ ok: false, error: { code: 'REFUSED', reason: 'URL_NOT_FETCHABLE' } });
      if (!outcome.ok) messages.add(outcome.error.message);
    }
    expect(messages.size).toBe(1);
    expect(await refusal('ftp://example.com/a.png')).toBe('PARAMETERS_INVALID');
  });

  it('shows an image to its own organization only', async () => {
    const { total } = await fixture.harness.data<{ total: number }>('list_images', {}, fixture.otherTenant);
    expect(total).toBe(0);
  });
});
