import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imageRequests } from '#contracts';
import { uuidOf } from '#database';
import { CampaignFixture } from './campaign-fixture.js';
import { png, Site } from './image-fixtures.js';

const secret = 'word/with+signs';
const hash = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/** Recomputes the signature from the received request and the secret alone. */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=me\/(\d{8})\/garden-1\/s3\/aws4_request,SignedHeaders=([\w;-]+),Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (!found || headers['x-amz-content-sha256'] !== hash(body)) return false;
  const [, day, names, signature] = found as unknown as [string, string, string, string];
  const at = headers['x-amz-date'] as string;
  const iso = at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const lines = names.split(';').map((name) => `${name}:${headers[name] as string}\n`);
  if (!names.includes('host') || Math.abs(Date.parse(iso) - Date.now()) > 900_000) return false;
  const asked = [method, url, '', lines.join(''), names, hash(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', at, `${day}/garden-1/s3/aws4_request`, hash(asked)].join('\n');
  const key = ['garden-1', 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day));
  return hmac(key, text).toString('hex') === signature;
}

describe('hosted images with a storage of their own', () => {
  const objects = new Map<string, { type: string; body: Buffer }>();
  let down = false;
  let storage: Server;
  let site: Site;
  let fixture: CampaignFixture;
  beforeAll(async () => {
    storage = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces);
        if (down) return response.writeHead(503).end();
        if (!isSigned(request, body)) return response.writeHead(403).end('SignatureDoesNotMatch');
        if (request.method === 'PUT') {
          objects.set(request.url!, { type: request.headers['content-type']!, body });
          return response.end();
        }
        if (request.method === 'DELETE') {
          objects.delete(request.url!);
          return response.writeHead(204).end();
        }
        const object = objects.get(request.url!);
        return response.writeHead(object ? 200 : 404).end(object?.body);
      });
    });
    await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
    site = await Site.open((_request, response) => response.end(png(64, 48)));
    Object.assign(process.env, {
      FETCH_ALLOWED_ADDRESSES: site.host,
      S3_ENDPOINT: `http://127.0.0.1:${(storage.address() as AddressInfo).port}`,
      S3_BUCKET: 'garden',
      S3_REGION: 'garden-1',
      S3_KEY: `me:${secret}`,
    });
    fixture = await CampaignFixture.open();
    for (const name of ['FETCH_ALLOWED_ADDRESSES', 'S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_KEY'])
      delete process.env[name];
  });
  afterAll(async () => {
    await fixture.close();
    await site.close();
    storage.close();
  });

  const upload = async () =>
    (await fixture.harness.data<{ imageId: string }>('upload_image', { url: site.url('/bed.png') }, fixture.tenant))
      .imageId;
  const file = async (imageId: string) =>
    (await fixture.harness.client(imageRequests).get_image_file({ imageId }, fixture.harness.caller(fixture.tenant)))
      .file;

  it('are put there with a signed request, and read from there', async () => {
    const imageId = await upload();
    expect([...objects]).toEqual([[`/garden/${imageId}`, { type: 'image/png', body: png(64, 48) }]]);
    const sql = fixture.harness.dataSource('campaign');
    expect(await sql.query('select content from image_data where image_id = $1', [uuidOf('img', imageId)])).toEqual([
      { content: null },
    ]);
    const found = await file(imageId);
    expect(found).toMatchObject({ contentType: 'image/png' });
    expect(Buffer.from(found!.content, 'base64').equals(png(64, 48))).toBe(true);
    const { images } = await fixture.harness.data<{ images: object[] }>('list_images', {}, fixture.tenant);
    expect(images).toMatchObject([{ id: imageId, bytes: png(64, 48).length, width: 64 }]);
  });

  it('are none when the object is gone', async () => {
    const imageId = await upload();
    objects.clear();
    expect(await file(imageId)).toBeNull();
  });

  it('are refused with SERVICE_UNAVAILABLE while the storage takes nothing, and leave no record', async () => {
    const total = async () => (await fixture.harness.data<{ total: number }>('list_images', {}, fixture.tenant)).total;
    const before = await total();
    down = true;
    expect(await fixture.harness.refusal('upload_image', { url: site.url() }, fixture.tenant)).toBe(
      'SERVICE_UNAVAILABLE',
    );
    down = false;
    expect(await total()).toBe(before);
  });

  it('are deleted there with the image', async () => {
    const imageId = await upload();
    await fixture.harness.data('delete_image', { imageId }, fixture.tenant);
    expect(objects.has(`/garden/${imageId}`)).toBe(false);
    expect(await file(imageId)).toBeNull();
  });
});
