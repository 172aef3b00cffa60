import type { ImageFacts } from './read-image.js';

const pngTexts = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME']);
/** Exif and XMP, Photoshop, comments. */
const jpegTexts = new Set([0xe1, 0xed, 0xfe]);
const webpTexts = new Set(['EXIF', 'XMP ']);

/**
 * Removes the metadata of cameras and programs (place, time, serial numbers), which recipients must not see, but keeps
 * the orientation of a photograph. The image must be complete (`readImage`).
 */
export function stripMetadata(bytes: Buffer, { contentType }: Pick<ImageFacts, 'contentType'>): Buffer {
  if (contentType === 'image/png') return pngWithout(bytes);
  if (contentType === 'image/jpeg') return jpegWithout(bytes);
  return contentType === 'image/webp' ? webpWithout(bytes) : bytes;
}

function pngWithout(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (!pngTexts.has(type)) kept.push(bytes.subarray(at, end));
    if (type === 'IEND') break;
    at = end;
  }
  return Buffer.concat(kept);
}

function jpegWithout(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 2)];
  let at = 2;
  while (bytes[at + 1] !== 0xda) {
    if (bytes[at + 1] === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const segment = bytes.subarray(at, end);
    if (!jpegTexts.has(segment[1]!)) kept.push(segment);
    else {
      const turn = segment[1] === 0xe1 ? orientationOf(segment) : 1;
      if (turn !== 1) kept.push(turned(turn));
    }
    at = end;
  }
  return Buffer.concat([...kept, bytes.subarray(at)]);
}

/** Returns the orientation of a picture, 1 to 8, from an APP1 segment (Exif 2.3, 4.6); 1 when none is given. */
function orientationOf(segment: Buffer): number {
  const tiff = segment.subarray(10);
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0' || tiff.length < 14) return 1;
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const two = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (first + 2 > tiff.length) return 1;
  for (let n = 0, at = first + 2; n < two(first) && at + 12 <= tiff.length; n++, at += 12) {
    if (two(at) === 0x0112) return two(at + 8) >= 1 && two(at + 8) <= 8 ? two(at + 8) : 1;
  }
  return 1;
}

const turned = (orientation: number): Buffer =>
  Buffer.concat([
    ...[Buffer.from([0xff, 0xe1, 0, 34]), Buffer.from('Exif\0\0MM\0*\0\0\0\b', 'latin1')],
    Buffer.from([0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
  ]);

function webpWithout(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length + (length & 1);
    const type = bytes.toString('latin1', at, at + 4);
    const chunk = Buffer.from(bytes.subarray(at, end));
    // The flags of the extended header must not announce removed chunks.
    if (type === 'VP8X') chunk[8]! &= ~0x0c;
    if (!webpTexts.has(type)) kept.push(chunk);
    at = end;
  }
  const head = Buffer.from(bytes.subarray(0, 12));
  head.writeUInt32LE(4 + kept.reduce((sum, { length }) => sum + length, 0), 4);
  return Buffer.concat([head, ...kept]);
}
