import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { gzipSync, inflateRawSync } from 'node:zlib';
import type { BusServer } from '#bus';
import { deriveKey, ExportTokens } from '#link-token';
import type { Caller } from '#tool-call';
import { freshNamespace, masterKey, fakeService, TestGateway } from './fake-services.js';
import type { Json } from './fake-services.js';

const namespace = freshNamespace();
const tokens = new ExportTokens(deriveKey(masterKey, 'exports'));
const texts = ['email,name\r\n', ...Array.from({ length: 40 }, (_, i) => `p${i}@example.com,Zoë ${i}\r\n`)];
const pieces = texts.map((text) => gzipSync(text));
const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
const small = { chunks: 1, bytes: pieces[0]!.length };
/** Of a gzip member without a name. */
const gzipHeaderBytes = 10;
let services: BusServer;
let gateway: TestGateway;

const pathOf = (exportId: string, hours = 24) =>
  `/d/${tokens.seal({ organizationId: 'org_1', exportId, expiresAt: new Date(Date.now() + hours * 3_600_000) })}`;
const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.url + path, { headers });
/** Reads the bytes as sent, not unpacked. */
const raw = (path: string) =>
  new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request(gateway.url + path, { headers: { 'accept-encoding': 'gzip, br' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    })
      .once('error', reject)
      .end();
  });

beforeAll(async () => {
  services = await fakeService(namespace, {
    'requests.subscriber.find_export_file': ({ exportId }: Json, { organizationId }: Caller) => ({
      file:
        exportId === 'exp_gone' || organizationId !== 'org_1'
          ? null
          : {
              name: 'subscribers-2026-05-01.csv',
              ...(exportId === 'exp_small' ? small : { chunks: pieces.length, bytes }),
            },
    }),
    'requests.subscriber.get_export_chunk': ({ exportId, chunk }: Json) => ({
      content: exportId === 'exp_torn' && chunk === 20 ? null : pieces[chunk as number]!.toString('base64'),
    }),
  });
  gateway = await TestGateway.start(namespace);
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
});

describe('a download', () => {
  it('returns the whole file for the link, as an attachment that no cache keeps', async () => {
    const response = await get(pathOf('exp_1'), { 'accept-encoding': 'identity' });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="subscribers-2026-05-01.csv"',
      'cache-control': 'no-store',
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe(texts.join(''));
  });

  it('is compressed if the client accepts it, in one gzip member, as browsers read no other', async () => {
    const { headers, body } = await raw(pathOf('exp_1'));
    expect(headers).toMatchObject({ 'content-encoding': 'gzip' });
    // What follows the first member is ignored here, as Chromium does.
    expect(inflateRawSync(body.subarray(gzipHeaderBytes)).toString()).toBe(texts.join(''));
    expect(await (await get(pathOf('exp_1'))).text()).toBe(texts.join(''));
  });

  it('of one chunk is sent as it is stored, with its length', async () => {
    const { headers, body } = await raw(pathOf('exp_small'));
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(pieces[0]!.length) });
    expect(body.equals(pieces[0]!)).toBe(true);
  });

  it('breaks off, and is no whole file, when a piece is gone', async () => {
    await expect(raw(pathOf('exp_torn'))).rejects.toThrow();
    const plain = get(pathOf('exp_torn'), { 'accept-encoding': 'identity' }).then((response) => response.text());
    await expect(plain).rejects.toThrow();
  });

  it('is a 404 when the link is over, changed or invented, or the file is gone', async () => {
    const good = pathOf('exp_1');
    for (const path of [pathOf('exp_1', -1), `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`, '/d/nonsense']) {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('This link does not work');
    }
    expect((await get(pathOf('exp_gone'))).status).toBe(404);
  });

  it('is 503 while the service is away', async () => {
    const alone = await TestGateway.start(freshNamespace());
    expect((await fetch(alone.url + pathOf('exp_1'))).status).toBe(503);
    await alone.stop();
  });
});
