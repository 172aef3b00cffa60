import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Refusal } from '../data/refusal.js';
import { noteSession, setOrganization } from '../data/session.js';
import { sliceBytes, uploadFile } from './upload.js';
import type { UploadedFile, UploadReport } from './upload.js';

const size = 250 * sliceBytes + 7;

/** A file of a gigabyte that holds nothing: it notes which slices are read and not sent yet. */
function hugeFile() {
  const open = new Set<object>();
  let most = 0;
  const file: UploadedFile = {
    name: 'list.csv',
    size,
    slice: (from = 0, to = size) => {
      const slice = { size: Math.min(to, size) - from };
      expect(slice.size).toBeLessThanOrEqual(sliceBytes);
      open.add(slice);
      most = Math.max(most, open.size);
      return slice as Blob;
    },
  };
  return { file, sent: (slice: object) => open.delete(slice), most: () => most };
}

describe('uploadFile', () => {
  const realFetch = globalThis.fetch;
  let received = 0;
  let puts = 0;
  const { file, sent, most } = hugeFile();
  /** What a request of a slice gets in place of its answer. */
  let disturb: (put: number) => Response | Error | 'lost' | undefined = () => undefined;
  const answer = (status: number, body: object) => new Response(JSON.stringify(body), { status });
  const state = () => ({ success: true, data: { import: { receivedBytes: received } } });

  beforeEach(() => {
    [received, puts] = [0, 0];
    disturb = () => undefined;
    setOrganization(1);
    globalThis.fetch = (async (url: string, { body }: { body: Blob }) => {
      if (!url.includes('/file?')) return answer(200, state());
      const { searchParams } = new URL(url, 'http://localhost');
      await Promise.resolve();
      sent(body);
      const trouble = disturb(++puts);
      if (trouble instanceof Error) throw trouble;
      if (trouble instanceof Response) return trouble;
      if (Number(searchParams.get('offset')) !== received) return answer(409, { reason: 'OFFSET_WRONG', error: '' });
      expect(searchParams.get('size')).toBe(String(size));
      received += body.size;
      if (trouble === 'lost') throw new TypeError('the answer was lost');
      return answer(200, state());
    }) as unknown as typeof fetch;
  });
  afterEach(() => {
    globalThis.fetch = realFetch;
    noteSession(null);
  });

  const reports: UploadReport[] = [];
  const upload = (signal = new AbortController().signal) =>
    uploadFile({
      organization: 1,
      importId: 'imp_1',
      file,
      signal,
      waitMs: [1],
      report: (part) => void reports.push(part),
    });

  it('holds one slice at a time, whatever the size of the file', async () => {
    await upload();
    expect(received).toBe(size);
    expect(puts).toBe(251);
    expect(most()).toBe(1);
  });

  it('goes on at the byte that had arrived after breaks, lost answers and unavailable services', async () => {
    received = 3 * sliceBytes;
    disturb = (put) => {
      if (put === 3) return new TypeError('the connection broke');
      if (put === 5) return 'lost';
      if (put === 7) return answer(503, { reason: 'SERVICE_UNAVAILABLE', error: 'Down.' });
      return undefined;
    };
    reports.length = 0;
    await upload();
    expect(received).toBe(size);
    expect(puts).toBe(248 + 2);
    expect(reports.filter(({ isWaiting }) => isWaiting)).toHaveLength(3);
    expect(most()).toBe(1);
  });

  it('ends with the refusal of an import that takes no more', async () => {
    disturb = () => answer(409, { reason: 'IMPORT_STATE', error: 'It is canceled.' });
    await expect(upload()).rejects.toBeInstanceOf(Refusal);
    expect(puts).toBe(1);
  });

  it('ends when it is stopped', async () => {
    const stop = new AbortController();
    disturb = (put) => {
      if (put === 2) stop.abort(new Error('stopped'));
      return undefined;
    };
    await expect(upload(stop.signal)).rejects.toThrow('stopped');
    expect(received).toBeLessThanOrEqual(3 * sliceBytes);
  });
});
