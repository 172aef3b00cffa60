import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { FakeDomainService, freshNamespace, fakeService, TestGateway } from './fake-services.js';
import type { BusServer } from '#bus';

const namespace = freshNamespace();
const domain = new FakeDomainService();
const token = domain.token('all');
let services: BusServer;
let gateway: TestGateway;
let catcher: Server;

beforeAll(async () => {
  catcher = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(207, { 'content-type': 'text/x-mail', 'x-frame-options': 'SAMEORIGIN' });
      response.end(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
    });
  });
  await new Promise<void>((resolve) => catcher.listen(0, '127.0.0.1', resolve));
  services = await fakeService(namespace, {
    ...domain.answers(),
    'tools.subscriber.list_tags': () => ({ tags: [], total: 0 }),
  });
  gateway = await TestGateway.start(namespace, {
    CATCHER_URL: `http://127.0.0.1:${(catcher.address() as AddressInfo).port}`,
  });
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
  catcher.closeAllConnections();
  catcher.close();
});

/** Sends raw bytes and reads until the server closes. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });

describe('every response', () => {
  it.each([
    ['the API', '/api/v2/tools'],
    ['a page', '/'],
    ['a link', '/u/none'],
    ['health', '/healthz'],
    ['nothing', '/nowhere'],
    ['a broken path', '/%'],
  ])('of %s has its id, is not sniffed and not framed, and names no server', async (_what, path) => {
    const { headers } = await fetch(gateway.url + path);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    for (const name of [
      'server',
      'x-powered-by',
      'set-cookie',
      'access-control-allow-origin',
      'strict-transport-security',
    ]) {
      expect(headers.get(name)).toBeNull();
    }
  });

  it('demands HTTPS only where the world reaches the gateway over it', async () => {
    const secure = await TestGateway.start(namespace, { PUBLIC_URL: 'https://mail.example.com/' });
    const { headers } = await fetch(`${secure.url}/healthz`);
    expect(headers.get('strict-transport-security')).toContain('max-age=31536000');
    const { body } = await secure.send('/api/v2/tools', { headers: { authorization: `Bearer ${token}` } });
    expect(body.docs).toBe('https://mail.example.com/docs');
    await secure.stop();
  });

  it('allows no other origin', async () => {
    const answer = await gateway.send('/api/v2/tools/list_tags', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBe(404);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('what cannot be routed', () => {
  it.each([
    ['GET', '/nowhere'],
    ['GET', '/readyz'],
    ['GET', '/metrics'],
    ['DELETE', '/api/v2/tools/list_tags'],
    ['POST', '/api/v2/tools'],
    ['POST', '/api/v2/tools/list_tags/more'],
    ['PATCH', '/'],
  ])('%s %s is a 404 in the envelope', async (method, path) => {
    const { status, body } = await gateway.send(path, { method });
    expect(status).toBe(404);
    expect(body).toEqual({
      success: false,
      error: expect.stringContaining(path),
      code: 'NOT_FOUND',
      reason: 'ROUTE_UNKNOWN',
    });
  });

  it('does not repeat the query of a path', async () => {
    expect((await gateway.send('/nowhere?token=secret')).body.error).not.toContain('secret');
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a broken path', 'GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'two lengths',
      'POST /api/v2/tools/list_tags HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
  ])('%s is answered in the envelope', async (_what, bytes, status) => {
    const text = await raw(bytes);
    expect(text.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({
      success: false,
      code: 'VALIDATION_ERROR',
      reason: 'REQUEST_MALFORMED',
    });
  });
});

describe('for operators', () => {
  it('reports on the health port that it lives and is ready, and what it measured', async () => {
    const health = async (path: string) => await (await fetch(gateway.healthUrl + path)).json();
    expect([await health('/healthz'), await health('/readyz')]).toEqual([{ status: 'ok' }, { status: 'ready' }]);
    await gateway.call(token, 'list_tags');
    await gateway.call('nobody', 'made-up-name');
    const metrics = await (await fetch(`${gateway.healthUrl}/metrics`)).text();
    expect(metrics).toMatch(/tidings_calls_total\{call="list_tags",outcome="OK",service="gateway"\} \d+/);
    expect(metrics).toMatch(/tidings_call_seconds_count\{service="gateway",call="list_tags"\} \d+/);
    expect(metrics).toContain('tidings_link_effects_pending');
    expect(metrics).not.toContain('made-up-name');
  });

  it('reports on its own port only that it lives, which a load balancer and `tidings doctor` ask there', async () => {
    expect(await gateway.send('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await (await fetch(gateway.url)).text()).not.toMatch(/readyz|metrics/);
  });

  it('shows a first page and the reference of all tools', async () => {
    const home = await fetch(gateway.url);
    expect(home.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await home.text();
    for (const path of ['/docs', '/api/v2/tools', '/mailbox']) expect(text).toContain(`href="${path}"`);
    const reference = await (await fetch(`${gateway.url}/docs`)).text();
    expect(reference).toContain('<h3 id="list_tags">list_tags</h3>');
    const linked = [...reference.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
    const ids = [...reference.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => id!);
    expect(linked).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the mailbox', () => {
  it.each([
    ['GET', '/mailbox'],
    ['GET', '/mailbox.json?to=ada%40example.com'],
    ['GET', '/mailbox/1.eml'],
    ['GET', '/mailbox/1/html'],
    ['DELETE', '/mailbox'],
  ])('passes %s %s on to the catcher and its answer back', async (method, path) => {
    const response = await fetch(gateway.url + path, { method });
    expect(response.status).toBe(207);
    expect(response.headers.get('content-type')).toBe('text/x-mail');
    expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(await response.text()).toBe(`${method} ${path} `);
  });

  it('passes bodies on, and goes nowhere but to the catcher', async () => {
    const response = await fetch(`${gateway.url}/mailbox/x`, { method: 'POST', body: 'hello' });
    expect(await response.text()).toBe('POST /mailbox/x hello');
    expect(
      await raw('GET http://evil.invalid/mailbox HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ).toContain('GET /mailbox');
  });

  it('answers only to hosts that are this gateway', async () => {
    const answer = await raw('GET /mailbox HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toContain('GET /mailbox');
  });

  it('shows nothing without a session once there is a user, and leads a browser to the sign-in', async () => {
    domain.users = 1;
    expect((await fetch(`${gateway.url}/mailbox.json`)).status).toBe(404);
    const page = await fetch(`${gateway.url}/mailbox?to=ada`, { redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fmailbox%3Fto%3Dada']);
    domain.users = 0;
  });

  it('is a 503 page when the catcher is gone, and a 404 page without one', async () => {
    const gone = await TestGateway.start(namespace, { CATCHER_URL: 'http://127.0.0.1:1' });
    expect((await fetch(`${gone.url}/mailbox`)).status).toBe(503);
    await gone.stop();
    const without = await TestGateway.start(namespace);
    const response = await fetch(`${without.url}/mailbox`);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await (await fetch(without.url)).text()).not.toContain('/mailbox');
    await without.stop();
  });
});

describe('a request with two Host fields', () => {
  it.each(['/healthz', '/mailbox', '/nowhere'])('is answered 400 (RFC 9112 section 3.2): %s', async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('it has two Host fields');
  });
});

describe('starting', () => {
  it('on a port that is taken says so', async () => {
    const { port } = new URL(gateway.url);
    await expect(TestGateway.start(namespace, { PORT: port })).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is taken. End the program that listens there, or set PORT.`,
    );
  });

  it('with a health port that is taken says so', async () => {
    const { port } = new URL(gateway.url);
    await expect(TestGateway.start(namespace, { HEALTH_PORT: port })).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is taken. End the program that listens there, or set HEALTH_PORT.`,
    );
  });
});
