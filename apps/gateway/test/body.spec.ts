import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { BusServer } from '#bus';
import { until } from '#testing';
import { FakeDomainService, freshNamespace, fakeService, TestGateway } from './fake-services.js';
import type { Json } from './fake-services.js';

const namespace = freshNamespace();
const domain = new FakeDomainService();
const token = domain.token('all');
let services: BusServer;
let gateway: TestGateway;
let lastInput: Json;

beforeAll(async () => {
  const keep = (input: Json) => {
    lastInput = input;
    return {};
  };
  services = await fakeService(namespace, {
    ...domain.answers(),
    'tools.subscriber.create_tag': keep,
    'tools.subscriber.list_tags': keep,
    'tools.subscriber.import_subscribers': ({ subscribers }) => ({ rows: (subscribers as unknown[]).length }),
    'tools.campaign.create_campaign': keep,
  });
  gateway = await TestGateway.start(namespace);
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a body', () => {
  it.each([
    ['broken', '{"name":'],
    ['trailing comma', '{"name":"a",}'],
    ['single quotes', "{'name':'a'}"],
    ['a comment', '{"name":"a"/**/}'],
    ['two values', '{}{}'],
    ['NaN', '{"name":NaN}'],
    ['a raw control character', '{"name":"a\nb"}'],
    ['bare words', 'name=a'],
    ['only a space', ' '],
  ])('that is not JSON is refused: %s', async (_what, body) => {
    const answer = await gateway.call(token, 'create_tag', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { success: false, code: 'INVALID_JSON', reason: 'BODY_NOT_JSON' },
    });
  });

  it('that is not UTF-8 is refused', async () => {
    const response = await gateway.send('/api/v2/tools/create_tag', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: new Uint8Array(Buffer.from('{"name":"\xff\xfe"}', 'latin1')),
    });
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
  });

  it.each(['[]', '"text"', '12', 'null', 'true'])('that is no object is refused: %s', async (body) => {
    expect(await gateway.call(token, 'create_tag', body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
  });

  it.each([
    ['__proto__ key', '{"name":"a","__proto__":{"admin":true}}', ['__proto__']],
    ['__proto__ key deep down', '{"subject":"s","content":{"a":[{"__proto__":1}]}}', ['content', 'a', 0, '__proto__']],
    ['NUL', '{"name":"a\\u0000b"}', ['name']],
    ['half a surrogate pair', '{"name":"a\\ud800b"}', ['name']],
    ['number out of range', '{"name":"a","x":1e400}', ['x']],
    ['integer that is not exact', '{"name":"a","x":9007199254740993}', ['x']],
    [
      'object of 1,001 keys',
      JSON.stringify({ name: 'a', x: Object.fromEntries(Array(1_001).fill(1).entries()) }),
      ['x'],
    ],
  ])('with a %s is refused by path', async (_what, body, path) => {
    const tool = body.includes('subject') ? 'create_campaign' : 'create_tag';
    const answer = await gateway.call(token, tool, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path }] } });
  });

  it('lists every fault of form and of schema at once, each with its path', async () => {
    const body =
      '{"nmae":"x","colour":"a\\u0000b","__proto__":{},"amount":1e400,"content":{"a":["\\ud800",{"__proto__":1}]},' +
      '"contentType":7,"confirmationCode":12}';
    const answer = await gateway.call(token, 'create_campaign', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', reason: 'PARAMETERS_INVALID' } });
    const paths = (answer.body.issues as { path: unknown[]; message: string }[]).map(({ path }) => path.join('.'));
    expect(paths.sort()).toEqual([
      '__proto__',
      'amount',
      'colour',
      'confirmationCode',
      'content.a.0',
      'content.a.1.__proto__',
      'contentType',
      'nmae',
      'subject',
    ]);
    for (const path of paths) expect(answer.body.error).toContain(path.split('.')[0]);
  });

  it('lists the first 50 of many faults of form', async () => {
    const body = JSON.stringify({ name: 'a', tags: Array.from({ length: 80 }, () => '\0') });
    expect((await gateway.call(token, 'create_tag', body)).body.issues).toHaveLength(50);
  });

  it('takes constructor and prototype as the unknown parameters they are', async () => {
    const answer = await gateway.call(token, 'create_tag', '{"name":"a","constructor":{"prototype":{"x":1}}}');
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: ['constructor'] }] } });
    expect(({} as Json).x).toBeUndefined();
  });

  it('counts the last of keys that occur twice', async () => {
    expect((await gateway.call(token, 'create_tag', '{"name":"first","name":"last"}')).status).toBe(200);
    expect(lastInput).toEqual({ name: 'last' });
  });

  it('may nest 32 levels and no more', async () => {
    const campaign = (levels: number) => `{"subject":"s","content":${nested(levels)}}`;
    expect((await gateway.call(token, 'create_campaign', campaign(31))).status).toBe(200);
    for (const levels of [32, 100_000]) {
      const answer = await gateway.call(token, 'create_campaign', campaign(levels));
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
      expect(answer.body.error).toContain('32 levels');
    }
  });

  it('may be empty, with and without a content type', async () => {
    const authorization = `Bearer ${token}`;
    const typed: Record<string, string> = { authorization, 'content-type': 'application/json' };
    for (const headers of [typed, { authorization }]) {
      expect(await gateway.send('/api/v2/tools/list_tags', { method: 'POST', headers })).toMatchObject({ status: 200 });
      expect(lastInput).toEqual({});
    }
  });

  it('may begin with a byte order mark and name its charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await gateway.call(token, 'create_tag', '\ufeff{"name":"é"}', headers)).status).toBe(200);
    expect(lastInput).toEqual({ name: 'é' });
  });

  it.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    ';',
  ])('of the type %s is refused (415)', async (contentType) => {
    const answer = await gateway.call(token, 'create_tag', '{"name":"a"}', { 'content-type': contentType });
    expect(answer).toMatchObject({ status: 415, body: { success: false, code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });

  it('may have 1 MB, and 5 MB where it carries rows or content', async () => {
    const tag = JSON.stringify({ name: 'a' });
    const padded = (bytes: number) => tag + ' '.repeat(bytes - tag.length);
    expect((await gateway.call(token, 'create_tag', padded(1_048_576))).status).toBe(200);
    expect(await gateway.call(token, 'create_tag', padded(1_048_577))).toMatchObject({
      status: 413,
      body: { success: false, code: 'PAYLOAD_TOO_LARGE', reason: 'BODY_TOO_LARGE' },
    });
    const rows = {
      subscribers: Array.from({ length: 500 }, (_, i) => ({ email: `p${i}@example.com`, note: 'x'.repeat(9_000) })),
    };
    expect(await gateway.call(token, 'import_subscribers', rows)).toMatchObject({
      status: 200,
      body: { data: { rows: 500 } },
    });
    rows.subscribers[0]!.note = 'x'.repeat(1_000_000);
    expect(await gateway.call(token, 'import_subscribers', rows)).toMatchObject({ status: 413 });
  });

  it('without a length is measured while it comes', async () => {
    const status = await new Promise((resolve, reject) => {
      const sending = request(`${gateway.url}/api/v2/tools/create_tag`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'transfer-encoding': 'chunked',
        },
      });
      sending.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.on('error', reject);
      for (let i = 0; i < 20; i++) sending.write('x'.repeat(100_000));
      sending.end();
    });
    expect(status).toBe(413);
  });

  it('that is compressed is read as it is, so that nothing swells', async () => {
    const response = await gateway.send('/api/v2/tools/create_tag', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(JSON.stringify({ name: 'a'.repeat(50_000_000) }))),
    });
    const error = expect.stringContaining('compressed (gzip)');
    expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_JSON', error } });
  });

  it('that is broken off is no defect, and holds nothing up', async () => {
    const counted = async () =>
      Number(
        /call="create_tag",outcome="VALIDATION_ERROR".*? (\d+)/.exec(
          await (await fetch(`${gateway.healthUrl}/metrics`)).text(),
        )![1],
      );
    const before = await counted();
    const sending = request(`${gateway.url}/api/v2/tools/create_tag`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': '1000' },
    });
    sending.on('error', () => undefined);
    sending.write('{', () => sending.destroy());
    await until('the call is given up', async () => (await counted()) === before + 1);
  });

  it('of another is not read for a token that is refused', async () => {
    const answer = await gateway.call('nobody', 'create_tag', '{');
    expect(answer.status).toBe(401);
  });
});
