import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Api, ApiResponse } from '../api.js';
import { ImportUpload } from './upload.service.js';

/** The outcome of one request: bytes that arrive before the line breaks, a refusal, or none for a good line. */
type Line = { arrive: number } | { status: number; reason: string };

class FakeReceiver {
  received = Buffer.alloc(0);
  readonly offsets: number[] = [];

  constructor(private readonly line: Line[]) {}

  readonly api = {
    put: (path: string, body: Uint8Array<ArrayBuffer>): Promise<ApiResponse> => {
      const offset = Number(new URL(path, 'http://x').searchParams.get('offset'));
      this.offsets.push(offset);
      const next = this.line.shift();
      if (next && 'status' in next)
        return Promise.resolve({ status: next.status, body: { error: 'Refused.', reason: next.reason } });
      if (offset !== this.received.length)
        return Promise.resolve({ status: 409, body: { error: 'Wrong.', reason: 'OFFSET_WRONG' } });
      this.received = Buffer.concat([this.received, body.subarray(0, next?.arrive ?? body.length)]);
      return next ? Promise.reject(new TypeError('terminated')) : Promise.resolve({ status: 200, body: {} });
    },
    call: () => Promise.resolve({ import: { receivedBytes: this.received.length } }),
  } as unknown as Api;
}

describe('the upload of an import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'upload spec '));
  const path = join(folder, 'rows.csv');
  const content = Buffer.from(Array.from({ length: 9 * 1024 * 1024 }, (_, n) => 97 + (n % 26)));
  beforeAll(() => writeFileSync(path, content));
  afterAll(() => rmSync(folder, { recursive: true }));

  const send = async (line: Line[], place = 0) => {
    const receiver = new FakeReceiver(line);
    receiver.received = content.subarray(0, place);
    const seen: number[] = [];
    const upload = new ImportUpload(receiver.api, 'imp_1', place, [0, 0, 0]);
    await upload.send(path, (bytes) => seen.push(bytes));
    return { receiver, seen };
  };
  const piece = 4 * 1024 * 1024;

  it('sends pieces of 4 MiB, and reports what was received', async () => {
    const { receiver, seen } = await send([]);
    expect(receiver.received.equals(content)).toBe(true);
    expect(seen).toEqual([piece, 2 * piece, content.length]);
  });

  it('goes on at the byte that arrived when the line breaks, also when nothing or all of a piece arrived', async () => {
    const { receiver } = await send([{ arrive: 1_000 }, { arrive: 0 }, { arrive: piece }]);
    expect(receiver.received.equals(content)).toBe(true);
    expect(receiver.offsets.slice(0, 3)).toEqual([0, 1_000, 1_000]);
  });

  it('repeats a piece while the service is away', async () => {
    const { receiver } = await send([
      { status: 503, reason: 'SERVICE_UNAVAILABLE' },
      { status: 429, reason: 'RATE_LIMIT_REACHED' },
    ]);
    expect(receiver.received.equals(content)).toBe(true);
  });

  it('begins at the byte that an earlier upload reached', async () => {
    const { receiver } = await send([], 5_000_000);
    expect(receiver.offsets[0]).toBe(5_000_000);
    expect(receiver.received.equals(content)).toBe(true);
  });

  it('ends at a refusal, and when the line stays broken, and names how to go on', async () => {
    await expect(send([{ status: 413, reason: 'IMPORT_TOO_LARGE' }])).rejects.toThrow(/^Refused\. .*--resume imp_1$/);
    await expect(send(Array.from({ length: 4 }, () => ({ arrive: 1 })))).rejects.toThrow(/broke off.*--resume imp_1$/);
  });
});
