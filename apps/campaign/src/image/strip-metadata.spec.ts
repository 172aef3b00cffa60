import { describe, expect, it } from '@jest/globals';
import { gif, jpeg, png, pngChunk, webp } from '../../test/image-fixtures.js';
import { readImage } from './read-image.js';
import { stripMetadata } from './strip-metadata.js';

const secret = Buffer.from('48.8584 N 2.2945 E');
const clean = (bytes: Buffer) => {
  const facts = readImage(bytes);
  const left = stripMetadata(bytes, facts);
  expect(readImage(left)).toEqual(facts);
  expect(left.includes(secret)).toBe(false);
  return left;
};
/** A JPEG whose camera wrote down how to turn it, and where it stood. */
function photo(orientation: number, little: boolean): Buffer {
  const tiff = Buffer.from(little ? 'II*\0\b\0\0\0' : 'MM\0*\0\0\0\b', 'latin1');
  const entry = Buffer.from(
    little
      ? [1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
      : [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
  );
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, entry, secret]);
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body]);
  const whole = jpeg(64, 48);
  return Buffer.concat([whole.subarray(0, 2), segment, whole.subarray(2)]);
}

describe('withoutMetadata', () => {
  it('leaves out texts, times and places of a PNG', () => {
    const texts = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME'].map((type) => pngChunk(type, secret));
    expect(clean(png(64, 48, texts)).equals(png(64, 48))).toBe(true);
  });

  it.each([1, 3, 6, 8])('keeps of a photograph that it is turned by %s, and no more', (orientation) => {
    const [one, other] = [clean(photo(orientation, true)), clean(photo(orientation, false))];
    expect(one.equals(other)).toBe(true);
    expect(one.includes('Exif')).toBe(orientation !== 1);
    if (orientation !== 1)
      expect(one.subarray(2, 40).includes(Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]))).toBe(true);
    // Cleaned once more, it stays as it is.
    expect(clean(one).equals(one)).toBe(true);
  });

  it('leaves out Exif and XMP of a WebP, and the flags that announce them', () => {
    const plain = webp('extended', 64, 48);
    const chunk = (type: string) => Buffer.concat([Buffer.from(type), Buffer.from([secret.length, 0, 0, 0]), secret]);
    const said = Buffer.concat([plain, chunk('EXIF'), chunk('XMP ')]);
    said.writeUInt32LE(said.length - 8, 4);
    said[20]! |= 0x0c;
    expect(clean(said).equals(plain)).toBe(true);
  });

  it('changes nothing of a GIF', () => {
    expect(clean(gif(64, 48)).equals(gif(64, 48))).toBe(true);
  });
});
