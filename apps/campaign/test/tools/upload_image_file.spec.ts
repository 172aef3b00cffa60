import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imageRequests } from '#contracts';
import type { ImageType } from '../../src/image/read-image.js';
import { stripMetadata } from '../../src/image/strip-metadata.js';
import { CampaignFixture } from '../campaign-fixture.js';
import { gif, jpeg, picture, png } from '../image-fixtures.js';

interface Uploaded {
  imageId: string;
  image: { id: string; url: string; name: string; description: string | null; width: number; contentType: string };
}
const limit = 2 * 1024 * 1024;
const padded = (bytes: number): Buffer => Buffer.concat([gif(30, 20), Buffer.alloc(bytes - gif(30, 20).length)]);

describe('upload_image_file', () => {
  let fixture: CampaignFixture;
  beforeAll(async () => {
    fixture = await CampaignFixture.open();
  });
  afterAll(() => fixture.close());

  const input = (file: Buffer, more: object = {}) => ({ content: file.toString('base64'), name: 'Bed', ...more });
  const upload = (file: Buffer, more: object = {}) =>
    fixture.harness.data<Uploaded>('upload_image_file', input(file, more), fixture.tenant);
  const refusal = (file: Buffer, more: object = {}) =>
    fixture.harness.refusal('upload_image_file', input(file, more), fixture.tenant);

  it.each<{
    what: string;
    make: () => Promise<Buffer> | Buffer;
    contentType: ImageType;
    size: [number, number];
    ending: string;
  }>([
    { what: 'a PNG', make: () => png(640, 480), contentType: 'image/png', size: [640, 480], ending: 'png' },
    {
      what: 'a JPEG',
      make: () => picture('jpeg', 1024, 768),
      contentType: 'image/jpeg',
      size: [1024, 768],
      ending: 'jpg',
    },
    { what: 'an animated GIF', make: () => gif(30, 20, 3), contentType: 'image/gif', size: [30, 20], ending: 'gif' },
    {
      what: 'a WebP',
      make: () => picture('webp', 400, 300),
      contentType: 'image/webp',
      size: [400, 300],
      ending: 'webp',
    },
    {
      what: 'a GIF just below 2 MB',
      make: () => padded(limit - 1),
      contentType: 'image/gif',
      size: [30, 20],
      ending: 'gif',
    },
  ])(
    'hosts $what without what a camera wrote into it',
    async ({ make, contentType, size: [width, height], ending }) => {
      const file = await make();
      const { image, imageId } = await upload(file);
      const kept = stripMetadata(file, { contentType });
      expect(image).toMatchObject({ id: imageId, contentType, width, height, bytes: kept.length, description: null });
      expect(image.url).toBe(`http://localhost:3000/i/${imageId}.${ending}`);
      const { file: stored } = await fixture.harness
        .client(imageRequests)
        .get_image_file({ imageId }, fixture.harness.caller({ organizationId: '' }));
      expect(Buffer.from(stored!.content, 'base64').equals(kept)).toBe(true);
    },
  );

  it('takes name and description', async () => {
    const { image } = await upload(png(64, 48), { name: ' Spring\u0000bed ', description: 'Peas\u0000 ' });
    expect(image).toMatchObject({ name: 'Spring bed', description: 'Peas' });
  });

  it('refuses 2 MB and more with IMAGE_TOO_LARGE', async () => {
    expect(await refusal(padded(limit))).toBe('IMAGE_TOO_LARGE');
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'IMAGE_INVALID'],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'IMAGE_INVALID'],
    ['a JPEG without its picture', jpeg(64, 48), 'IMAGE_DAMAGED'],
    ['a PNG without its end', png(640, 480).subarray(0, -20), 'IMAGE_DAMAGED'],
    ['a PNG of 900 megapixels', png(30_000, 30_000), 'IMAGE_DIMENSIONS_TOO_LARGE'],
    ['a GIF of 104 megapixels in its frames', gif(2000, 2000, 26), 'IMAGE_DIMENSIONS_TOO_LARGE'],
  ])('refuses %s', async (_name, file, reason) => {
    expect(await refusal(file)).toBe(reason);
  });

  it('refuses what is not Base64, and a file without a name', async () => {
    for (const content of ['', 'data:image/png;base64,iVBORw0KGgo=', 'no base64!'])
      expect(await fixture.harness.refusal('upload_image_file', { content, name: 'Bed' }, fixture.tenant)).toBe(
        'PARAMETERS_INVALID',
      );
    expect(await refusal(png(64, 48), { name: ' ' })).toBe('PARAMETERS_INVALID');
  });

  it('shows an image to its own organization only', async () => {
    const { imageId } = await upload(png(64, 48));
    const { images } = await fixture.harness.data<{ images: { id: string }[] }>('list_images', {}, fixture.otherTenant);
    expect(images.map(({ id }) => id)).not.toContain(imageId);
  });
});
