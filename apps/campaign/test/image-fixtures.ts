import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

const chunk = (type: string, data: Buffer): Buffer => {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
};

/** A PNG that claims a size; its pixels are real for small ones. */
export function png(width: number, height: number, extra: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc(Math.min(1_000_000, (width + 1) * height)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    ...[signature, chunk('IHDR', header), ...extra, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))],
  ]);
}
export const pngChunk = chunk;

export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  const exif = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 8]), Buffer.from('Exif\0\0', 'latin1')]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), exif, frame, scan, Buffer.from([0xff, 0xd9])]);
}

export function gif(width: number, height: number, frames = 1): Buffer {
  const screen = Buffer.from([width & 255, width >> 8, height & 255, height >> 8, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  const picture = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([
    ...[Buffer.from('GIF89a'), screen, ...Array<Buffer>(frames).fill(picture), Buffer.from([0x3b])],
  ]);
}

const riff = (payload: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(payload.length + 4);
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), payload]);
};
const riffChunk = (type: string, data: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type), size, data]);
};

export function webp(kind: 'lossy' | 'lossless' | 'extended', width: number, height: number): Buffer {
  const lossy = Buffer.alloc(20);
  lossy.set([0x9d, 0x01, 0x2a], 3);
  lossy.writeUInt16LE(width & 0x3fff, 6);
  lossy.writeUInt16LE(height & 0x3fff, 8);
  if (kind === 'lossy') return riff(riffChunk('VP8 ', lossy));
  if (kind === 'lossless') {
    const data = Buffer.alloc(20);
    data[0] = 0x2f;
    data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
    return riff(riffChunk('VP8L', data));
  }
  const data = Buffer.alloc(10);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return riff(Buffer.concat([riffChunk('VP8X', data), riffChunk('VP8 ', lossy)]));
}

/** A whole picture, as a program for pictures writes it: one colour turning into another. */
export async function picture(format: 'png' | 'jpeg' | 'gif' | 'webp', width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const isSmall = width * height <= 1_000_000;
  const create = { width, height, channels: 3, background: '#468', ...(isSmall && { noise }) } as const;
  return await sharp({ create }).toFormat(format, { lossless: !isSmall, effort: 1, progressive: false }).toBuffer();
}

/** A web server of a test; its address must be allowed, since it is none that the public reaches. */
export class Site {
  private constructor(private readonly server: Server) {}

  static async open(answer: RequestListener): Promise<Site> {
    const server = createServer({ maxHeaderSize: 64 * 1024 }, answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Site(server);
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  url(path = '/'): string {
    return `http://${this.host}${path}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
