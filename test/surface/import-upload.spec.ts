import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { importBytesMax } from '#contracts';
import { uuidOf } from '#database';
import { until } from '#testing';
import { TestGateway } from '../../apps/gateway/test/fake-services.js';
import type { Json } from '../../apps/gateway/test/fake-services.js';
import { importWorker } from '../../apps/subscriber/test/imports.js';
import { ApiFixture } from './surface.js';
import type { ApiTenant } from './surface.js';

const rowsOf = (count: number) => {
  const lines = Array.from({ length: count }, (_, n) => `person${n}@example.com,Person ${n},${'x'.repeat(40)}${n}`);
  return Buffer.from(`email,name,note\n${lines.join('\n')}\n`);
};

describe('the upload of a file for an import', () => {
  let surface: ApiFixture;
  let other: TestGateway;
  let tenant: ApiTenant;
  const create = async (by = tenant) =>
    (await by.client.data<{ import: { id: string } }>('create_subscriber_import', {})).import.id;
  const cancel = (importId: string) => tenant.client.data('cancel_subscriber_import', { importId });
  const stateOf = async (importId: string) =>
    (await tenant.client.data<{ import: Json }>('get_subscriber_import', { importId })).import;
  const put = async (
    importId: string,
    body: Buffer | string,
    change: {
      offset?: number | string;
      size?: number | string;
      url?: string;
      token?: string;
      headers?: Record<string, string>;
    } = {},
  ) => {
    const { offset = 0, size, url = surface.url, token = tenant.token, headers = {} } = change;
    const whole = size === undefined ? '' : `&size=${size}`;
    const response = await fetch(`${url}/api/v2/imports/${importId}/file?offset=${offset}${whole}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  /** Sends a part of a body whose length is announced as longer, and breaks the connection once `bytes` have arrived. */
  const breakOff = async (importId: string, part: Buffer, offset: number, url: string) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `PUT /api/v2/imports/${importId}/file?offset=${offset} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\n` +
        `Content-Type: text/csv\r\nContent-Length: ${part.length + 1}\r\n\r\n`,
    );
    socket.write(part);
    await until('the part has arrived', async () => {
      const { receivedBytes } = await stateOf(importId);
      return receivedBytes >= Math.floor((offset + part.length) / 2 ** 20) * 2 ** 20;
    });
    socket.destroy();
    await until('what arrived is kept', async () => (await stateOf(importId)).receivedBytes === offset + part.length);
  };
  beforeAll(async () => {
    surface = await ApiFixture.start();
    other = await TestGateway.start(surface.namespace);
    tenant = await surface.customer('Ours');
  });
  afterAll(async () => {
    await other.stop();
    await surface.stop();
  });

  it('goes on after breaks, through any gateway, where it had arrived, and is imported whole', async () => {
    const file = rowsOf(60_000);
    const importId = await create();
    // Ten parts of odd sizes, each broken off.
    for (let n = 0, offset = 0; n < 10; n++) {
      const end = Math.floor((file.length * (n + 1)) / 11) - n;
      await breakOff(importId, file.subarray(offset, end), offset, n % 2 ? other.url : surface.url);
      expect(await stateOf(importId)).toMatchObject({ state: 'UPLOADING', receivedBytes: end });
      offset = end;
    }
    const { receivedBytes } = await stateOf(importId);
    const last = await put(importId, file.subarray(receivedBytes as number), { offset: receivedBytes as number });
    expect(last).toMatchObject({
      status: 200,
      body: { success: true, data: { import: { state: 'UPLOADED', receivedBytes: file.length } } },
    });
    await surface.harness.data('start_subscriber_import', { importId }, tenant);
    await importWorker(surface.harness).workNext(5);
    // Another process goes on.
    while (await importWorker(surface.harness).workNext()) continue;
    expect(await stateOf(importId)).toMatchObject({ state: 'DONE', rows: 60_000, imported: 60_000, failed: 0 });
  }, 180_000);

  it('refuses a wrong offset with OFFSET_WRONG and the right one, and keeps what had arrived', async () => {
    const importId = await create();
    expect((await put(importId, 'email\na@example.com\n')).status).toBe(200);
    for (const offset of [0, 5, 21, 1e9]) {
      const refused = await put(importId, 'b@example.com\n', { offset });
      expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT', reason: 'OFFSET_WRONG' } });
      expect(refused.body.error).toContain('offset=20');
    }
    expect((await put(importId, 'b@example.com\n', { offset: 20 })).status).toBe(200);
    expect(await stateOf(importId)).toMatchObject({ state: 'UPLOADED', receivedBytes: 34 });
    await cancel(importId);
  });

  it('takes a file in several bodies, and ends its upload with the one that reaches the size', async () => {
    const importId = await create();
    const file = Buffer.from('email\na@example.com\nb@example.com\n');
    const [first, last] = [file.subarray(0, 20), file.subarray(20)];
    expect((await put(importId, first, { size: file.length })).status).toBe(200);
    expect(await stateOf(importId)).toMatchObject({ state: 'UPLOADING', receivedBytes: 20 });
    expect((await put(importId, last, { offset: 20, size: file.length })).status).toBe(200);
    expect(await stateOf(importId)).toMatchObject({ state: 'UPLOADED', receivedBytes: file.length });
    expect(await put(importId, 'x', { offset: file.length, size: 'all' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: ['size'] }] },
    });
    await cancel(importId);
  });

  it('takes one of two uploads at once, and answers the other with OFFSET_WRONG', async () => {
    const importId = await create();
    const file = rowsOf(40_000);
    const both = await Promise.all([put(importId, file), put(importId, file, { url: other.url })]);
    const taken = both.filter(({ status }) => status === 200);
    expect(taken.length).toBeLessThanOrEqual(1);
    for (const { status, body } of both) if (status !== 200) expect(body.reason).toBe('OFFSET_WRONG');
    const { receivedBytes } = await stateOf(importId);
    if (taken.length === 0) {
      const rest = { offset: receivedBytes as number };
      expect((await put(importId, file.subarray(rest.offset), rest)).status).toBe(200);
    }
    expect(await stateOf(importId)).toMatchObject({ state: 'UPLOADED', receivedBytes: file.length });
    await cancel(importId);
  });

  it('refuses what is no file: by type, encoding, offset, scope, size, import and organization', async () => {
    const importId = await create();
    const json = await put(importId, '{}', { headers: { 'content-type': 'application/json' } });
    expect(json).toMatchObject({ status: 415, body: { reason: 'CONTENT_TYPE_UNSUPPORTED' } });
    expect(json.body.error).toContain('text/csv');
    const packed = await put(importId, 'x', { headers: { 'content-encoding': 'gzip' } });
    expect(packed).toMatchObject({ status: 400, body: { reason: 'REQUEST_MALFORMED' } });
    for (const offset of ['-1', 'x', '1.5'])
      expect(await put(importId, 'x', { offset })).toMatchObject({
        status: 400,
        body: { issues: [{ path: ['offset'] }] },
      });
    const reader = await surface.token(tenant.organizationId, { scopes: ['read'] });
    expect(await put(importId, 'x', { token: reader })).toMatchObject({
      status: 403,
      body: { reason: 'TOKEN_SCOPE_MISSING' },
    });
    expect((await put(importId, 'x', { token: 'wrong' })).status).toBe(401);
    const foreign = await surface.customer('Theirs');
    expect(await put(importId, 'x', { token: foreign.token })).toMatchObject({
      status: 404,
      body: { reason: 'IMPORT_NOT_FOUND' },
    });
    expect(await stateOf(importId)).toMatchObject({ state: 'NEW', receivedBytes: 0 });
    await surface.harness
      .dataSource('subscriber')
      .query(`update subscriber_import set received_bytes = $2 where import_id = $1`, [
        uuidOf('imp', importId),
        importBytesMax - 1,
      ]);
    // More than the buffers of a connection hold: the rest is read, so that the connection serves the next request.
    expect(await put(importId, 'x'.repeat(8_000_000), { offset: importBytesMax - 1 })).toMatchObject({
      status: 413,
      body: { reason: 'IMPORT_TOO_LARGE' },
    });
    await cancel(importId);
    expect(await put(importId, 'x')).toMatchObject({ status: 409, body: { reason: 'IMPORT_STATE' } });
  });
});
