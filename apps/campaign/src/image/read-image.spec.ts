import { describe, expect, it } from '@jest/globals';
import { gif, jpeg, png, pngChunk, webp } from '../../test/image-fixtures.js';
import type { ToolError } from '#tool-call';
import { fitInto, readImage } from './read-image.js';

const framesIn = (n: number) => {
  const data = Buffer.alloc(8);
  data.writeUInt32BE(n);
  return pngChunk('acTL', data);
};
const damaged = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 0xff;
  return copy;
};

describe('readImage', () => {
  it.each([
    ['PNG', 'image/png', png(640, 480), 640, 480],
    ['animated PNG', 'image/png', png(8, 9, [framesIn(500)]), 8, 9],
    ['JPEG', 'image/jpeg', jpeg(1024, 768), 1024, 768],
    ['GIF', 'image/gif', gif(300, 200), 300, 200],
    ['animated GIF', 'image/gif', gif(300, 200, 500), 300, 200],
    ['lossy WebP', 'image/webp', webp('lossy', 400, 300), 400, 300],
    ['lossless WebP', 'image/webp', webp('lossless', 4001, 301), 4001, 301],
    ['extended WebP', 'image/webp', webp('extended', 2000, 1000), 2000, 1000],
    ['the largest that is taken', 'image/png', png(5000, 5000), 5000, 5000],
  ])('reads %s', (_name, contentType, bytes, width, height) => {
    expect(readImage(bytes)).toEqual({ contentType, width, height });
  });

  const reason = (bytes: Buffer) => {
    try {
      return readImage(bytes);
    } catch (error) {
      return (error as ToolError).reason;
    }
  };

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('an image, I promise')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['a web page', Buffer.from('<!doctype html><img src=x>')],
    ['a sound', Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1')],
  ])('refuses %s with IMAGE_INVALID', (_name, bytes) => expect(reason(bytes)).toBe('IMAGE_INVALID'));

  it.each([
    ['a signature alone', png(1, 1).subarray(0, 8)],
    ['a PNG cut off', png(64, 64).subarray(0, -6)],
    ['a PNG with a wrong sum', damaged(png(64, 64), 20)],
    ['a PNG without pixels in it', Buffer.concat([png(64, 64).subarray(0, 33), pngChunk('IEND', Buffer.alloc(0))])],
    ['a PNG of no size', png(0, 10)],
    ['a JPEG cut off', jpeg(64, 64).subarray(0, -4)],
    ['a JPEG of scans alone', Buffer.concat([jpeg(64, 64).subarray(0, 2), jpeg(64, 64).subarray(25)])],
    ['a GIF cut off', gif(64, 64).subarray(0, -1)],
    ['a GIF without pictures', gif(64, 64, 0)],
    ['a WebP cut off', webp('lossy', 64, 64).subarray(0, -1)],
  ])('refuses %s with IMAGE_DAMAGED', (_name, bytes) => expect(reason(bytes)).toBe('IMAGE_DAMAGED'));

  it.each([
    ['a PNG bomb of 25,000,001 pixels', png(25_000_001, 1)],
    ['a PNG bomb of 2^62 pixels', png(2 ** 31 - 1, 2 ** 31 - 1)],
    ['a PNG of 501 frames', png(8, 9, [framesIn(501)])],
    ['a JPEG bomb', jpeg(65_535, 65_535)],
    ['a GIF of 501 frames', gif(64, 64, 501)],
    ['a GIF bomb', gif(65_535, 65_535)],
    ['a WebP bomb', webp('extended', 2 ** 24, 2 ** 24)],
  ])('refuses %s with IMAGE_DIMENSIONS_TOO_LARGE', (_name, bytes) =>
    expect(reason(bytes)).toBe('IMAGE_DIMENSIONS_TOO_LARGE'),
  );

  it('ends for input that is cut or changed at any place', () => {
    for (const whole of [png(9, 9), jpeg(9, 9), gif(9, 9), webp('extended', 9, 9)]) {
      for (let at = 0; at < whole.length; at++) {
        const answers = [reason(whole.subarray(0, at)), reason(damaged(whole, at))];
        for (const answer of answers)
          expect(typeof answer === 'string' || answer.width * answer.height <= 25_000_000).toBe(true);
      }
    }
  });
});

describe('fitInto', () => {
  it.each([
    [
      { width: 1200, height: 800 },
      { width: 600, height: 400 },
      { width: 600, height: 400 },
    ],
    [
      { width: 1200, height: 200 },
      { width: 600, height: 400 },
      { width: 600, height: 100 },
    ],
    [
      { width: 100, height: 800 },
      { width: 600, height: 400 },
      { width: 50, height: 400 },
    ],
    [
      { width: 100, height: 80 },
      { width: 600, height: 400 },
      { width: 100, height: 80 },
    ],
    [
      { width: 5000, height: 1 },
      { width: 600, height: 400 },
      { width: 600, height: 1 },
    ],
  ])('%j into %j is %j', (natural, frame, fitted) => expect(fitInto(natural, frame)).toEqual(fitted));
});
