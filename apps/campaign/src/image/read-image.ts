import { crc32 } from 'node:zlib';
import { ToolError } from '#tool-call';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageFacts {
  contentType: ImageType;
  /** Pixels. */
  width: number;
  height: number;
}

/** Showing them takes 100 MB, while a file of a few bytes can claim them. */
const pixelsMax = 25_000_000;
/** Frames of an animation, each as large as the picture. */
const framesMax = 500;

const formats: [signature: string, read: (bytes: Buffer) => ImageFacts | null][] = [
  ['\x89PNG\r\n\x1a\n', readPng],
  ['\xff\xd8\xff', readJpeg],
  ['GIF87a', readGif],
  ['GIF89a', readGif],
  ['RIFF', readWebp],
];

/**
 * Reads an image from end to end, without decoding its pixels.
 * @throws ToolError IMAGE_INVALID for an unknown format, IMAGE_DAMAGED for a truncated or damaged file,
 * IMAGE_DIMENSIONS_TOO_LARGE for one that would exhaust its viewer's memory
 */
export function readImage(bytes: Buffer): ImageFacts {
  const read = formats.find(([signature]) => startsWith(bytes, signature))?.[1];
  if (!read || (read === readWebp && !startsWith(bytes, 'WEBP', 8))) throw new ToolError('IMAGE_INVALID', {});
  const facts = read(bytes);
  if (!facts || facts.width === 0 || facts.height === 0) throw new ToolError('IMAGE_DAMAGED', {});
  return assertSize(facts, facts.width * facts.height <= pixelsMax);
}

function assertSize<T>(value: T, isBearable: boolean): T {
  if (!isBearable) throw new ToolError('IMAGE_DIMENSIONS_TOO_LARGE', {});
  return value;
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.subarray(at, at + text.length).toString('latin1') === text;

/** W3C PNG, section 5: chunks of length, type, data and CRC, from IHDR to IEND with image data between. */
function readPng(bytes: Buffer): ImageFacts | null {
  let facts: ImageFacts | null = null;
  let data = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return null;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (facts === null) {
      if (type !== 'IHDR' || length !== 13) return null;
      facts = { contentType: 'image/png', width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (type === 'acTL') {
      if (length < 4) return null;
      assertSize(type, bytes.readUInt32BE(at + 8) <= framesMax);
    }
    if (type === 'IDAT') data = true;
    if (type === 'IEND') return data ? facts : null;
    at = end + 4;
  }
  return null;
}

/** ITU T.81 annex B: segments up to the start of scan, whose data ends with the marker of the image's end. */
function readJpeg(bytes: Buffer): ImageFacts | null {
  let facts: ImageFacts | null = null;
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return null;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      if (length < 8) return null;
      facts = { contentType: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    if (marker === 0xda) return facts && bytes.indexOf('\xff\xd9', at + 2 + length, 'latin1') >= 0 ? facts : null;
    at += 2 + length;
  }
  return null;
}

/** GIF89a: a screen, then blocks up to the trailer; pictures and extensions are chains of sub-blocks. */
function readGif(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 14) return null;
  const table = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let frames = 0;
  for (let at = 13 + table(bytes[10]!); at < bytes.length;) {
    const kind = bytes[at];
    if (kind === 0x3b) {
      const facts = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
      return frames > 0 ? { contentType: 'image/gif', ...facts } : null;
    }
    if (kind === 0x2c) {
      frames += 1;
      assertSize(frames, frames <= framesMax);
      if (at + 11 > bytes.length) return null;
      at += 11 + table(bytes[at + 9]!);
    } else if (kind === 0x21) at += 2;
    else return null;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
    at += 1;
  }
  return null;
}

/** RFC 9649: a RIFF container whose first chunk holds the size, in one of three ways. */
function readWebp(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 30) return null;
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return null;
  const contentType = 'image/webp';
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8 ') {
    if (!startsWith(bytes, '\x9d\x01\x2a', 23)) return null;
    return { contentType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  if (kind === 'VP8L') {
    if (bytes[20] !== 0x2f) return null;
    const bits = bytes.readUInt32LE(21);
    return { contentType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  const frames = countFrames(bytes);
  if (kind !== 'VP8X' || assertSize(frames, frames <= framesMax) === 0) return null;
  return { contentType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}

function countFrames(bytes: Buffer): number {
  let frames = 0;
  for (let at = 12; at + 8 <= bytes.length; at += 8 + bytes.readUInt32LE(at + 4) + (bytes[at + 4]! & 1)) {
    if (['ANMF', 'VP8 ', 'VP8L'].includes(bytes.toString('latin1', at, at + 4))) frames += 1;
  }
  return frames;
}

/** The size at which an image fits into a frame, in whole pixels; never larger than it is. */
export function fitInto(
  { width, height }: { width: number; height: number },
  frame: { width: number; height: number },
) {
  const scale = Math.min(1, frame.width / width, frame.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
