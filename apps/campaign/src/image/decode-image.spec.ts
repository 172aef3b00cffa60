import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { ToolError } from '#tool-call';
import { gif, jpeg, picture, png, pngChunk } from '../../test/image-fixtures.js';
import { decodeImage } from './decode-image.js';

const reason = (bytes: Buffer) =>
  decodeImage(bytes).then(
    (facts) => facts,
    (error: ToolError) => error.reason,
  );
const cut = (bytes: Buffer, end: Buffer) => Buffer.concat([bytes.subarray(0, bytes.length * 0.7), end]);

/** Measures the memory that decoding an image takes, in MB, and whether the service kept responding. */
async function cost(bytes: Buffer): Promise<{ answer: unknown; grownBy: number; ticks: number }> {
  const before = process.memoryUsage.rss();
  let [most, ticks] = [before, 0];
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
    ticks += 1;
  }, 2);
  const answer = await reason(bytes);
  clearInterval(timer);
  return { answer, grownBy: (most - before) / 1e6, ticks };
}

describe('decodeImage', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('decodes %s', async (format) => {
    expect(await reason(await picture(format, 320, 200))).toEqual({
      contentType: `image/${format}`,
      width: 320,
      height: 200,
    });
  });

  it('returns the size of one frame of an animation', async () => {
    expect(await reason(gif(30, 20, 3))).toEqual({ contentType: 'image/gif', width: 30, height: 20 });
  });

  it('returns the size of a photograph as displayed, after rotation', async () => {
    const turned = await sharp(await picture('jpeg', 60, 40))
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(await reason(turned)).toEqual({ contentType: 'image/jpeg', width: 40, height: 60 });
  });

  it('reads a PNG with an invalid colour profile, as browsers do', async () => {
    const profile = Buffer.concat([Buffer.from('icc\0\0'), deflateSync(Buffer.from('no profile'))]);
    expect(await reason(png(30, 20, [pngChunk('iCCP', profile)]))).toMatchObject({ width: 30 });
  });

  it.each([
    ['a PNG of half its pixels', async () => halfPng()],
    ['a JPEG with a hole', async () => cut(await picture('jpeg', 640, 480), Buffer.from([0xff, 0xd9]))],
    ['a JPEG of nothing but a frame', async () => jpeg(640, 480)],
    // The cut falls anywhere; no block of 255 can follow it, also where one was to begin.
    ['a GIF whose picture ends early', async () => cut(await picture('gif', 640, 480), Buffer.from([0xff, 0x3b]))],
    ['a WebP of noise', async () => noisyWebp(await picture('webp', 640, 480))],
  ])('refuses %s with IMAGE_DAMAGED', async (_name, make) => {
    expect(await reason(await make())).toBe('IMAGE_DAMAGED');
  });

  // Measured alone: a WebP takes 8 bytes a pixel, the rest less.
  it.each([
    ['a PNG of 900 megapixels', 'IMAGE_DIMENSIONS_TOO_LARGE', async () => png(30_000, 30_000)],
    ['a WebP of 38 bytes and 25 megapixels', 'IMAGE_DIMENSIONS_TOO_LARGE', () => picture('webp', 5000, 5000)],
    ['a GIF of 500 frames of 4 megapixels', 'IMAGE_DIMENSIONS_TOO_LARGE', async () => gif(2000, 2000, 500)],
    ['a profile of colours that inflates to 200 MB', null, async () => inflating()],
    ['a PNG of 25 megapixels', { width: 5000 }, () => picture('png', 5000, 5000)],
  ])('bears %s without stopping or 150 MB', async (_name, expected, make) => {
    const bytes = await make();
    const { answer, grownBy, ticks } = await cost(bytes);
    if (typeof expected === 'string') expect(answer).toBe(expected);
    else if (expected) expect(answer).toMatchObject(expected);
    if (typeof answer === 'object') expect(ticks).toBeGreaterThan(0);
    expect(grownBy).toBeLessThan(150);
  });
});

function halfPng(): Buffer {
  const header = Buffer.from([0, 0, 1, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0]);
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', deflateSync(Buffer.alloc(257 * 128)))];
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, ...chunks, pngChunk('IEND', Buffer.alloc(0))]);
}

function noisyWebp(whole: Buffer): Buffer {
  return Buffer.concat([whole.subarray(0, 30), Buffer.alloc(whole.length - 30, 0xa5)]);
}

function inflating(): Buffer {
  const profile = Buffer.concat([Buffer.from('icc\0\0'), deflateSync(Buffer.alloc(200_000_000), { level: 1 })]);
  return png(30, 20, [pngChunk('iCCP', profile)]);
}
