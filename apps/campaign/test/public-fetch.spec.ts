import type { LookupAddress } from 'node:dns';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '#tool-call';
import { BodyTooLarge, PublicFetcher } from '#public-fetch';
import { Site } from './image-fixtures.js';

/** A server that must not be reached, and one that these tests treat as public. */
let inner: Site;
let outer: Site;
let reached = 0;
let fetcher: PublicFetcher;
const bomb = gzipSync(Buffer.alloc(50_000_000));

beforeAll(async () => {
  inner = await Site.open((_request, response) => {
    reached += 1;
    response.end('secret');
  });
  const port = inner.host.split(':')[1]!;
  outer = await Site.open((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    const to = searchParams.get('to');
    switch (pathname) {
      case '/redirect':
        response
          .writeHead(Number(searchParams.get('status') ?? 302), { location: Buffer.from(to!).toString('latin1') })
          .end();
        return;
      case '/loop':
        response.writeHead(302, { location: '/loop' }).end();
        return;
      case '/hop': {
        const left = Number(searchParams.get('n')) - 1;
        response.writeHead(302, { location: left === 0 ? '/hello' : `/hop?n=${left}` }).end();
        return;
      }
      case '/endless': {
        const more = () => {
          while (response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        return void more();
      }
      case '/bomb':
        response.setHeader('content-encoding', 'gzip');
        response.end(bomb);
        return;
      case '/drip': {
        response.write('slow');
        const timer = setInterval(() => response.write('.'), 50);
        response.on('close', () => clearInterval(timer));
        return;
      }
      case '/silent':
        return;
      case '/headers':
        for (let n = 0; n < 1_000; n++) response.setHeader(`x-${n}`, 'x'.repeat(50));
        response.end('too much said before');
        return;
      case '/short':
        response.writeHead(200, { 'content-length': '100' });
        response.write('short', () => response.destroy());
        return;
      case '/garbled':
        response.setHeader('content-encoding', 'gzip');
        response.end('this is no gzip');
        return;
      case '/encoded':
        response.setHeader('content-encoding', 'unheard-of');
        response.end('x');
        return;
      case '/missing':
        response.writeHead(404).end('none');
        return;
      default:
        response.setHeader('content-type', 'text/plain');
        response.end(JSON.stringify(request.headers));
    }
  });
  fetcher = new PublicFetcher({ allowed: new Set([outer.host]) });
  secret = (host) => `http://${host}:${port}/`;
});
afterAll(async () => {
  await inner.close();
  await outer.close();
});

let secret: (host: string) => string;
const request = { organizationId: 'org_a', accept: '*/*', bytesMax: 1_000_000 };
const refusalOf = (url: string, by = fetcher) =>
  by.fetch({ ...request, url }).then(
    () => 'fetched',
    (error: unknown) => (error instanceof ToolError ? error.message : (error as Error).constructor.name),
  );
const refused = /^The address could not be fetched\./;

/** Spellings of this machine, and addresses of private and reserved networks. */
const hosts = [
  ...['127.0.0.1', 'localhost', '[::1]', '[::ffff:7f00:1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]', '2130706433'],
  ...['0x7f.1', '127.1', '127.0.0.1.', 'localhost.', '0177.0.0.1', '０x7f000001', '[::7f00:1]', '[64:ff9b::7f00:1]'],
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '100.64.0.1'],
];

describe('fetching public addresses', () => {
  it.each(hosts)('reaches nothing at %s, directly or by a redirect, on any port', async (host) => {
    expect(await refusalOf(secret(host))).toMatch(refused);
    expect(await refusalOf(`http://${host}/`)).toMatch(refused);
    for (const status of [301, 302, 303, 307, 308]) {
      const to = encodeURIComponent(secret(host));
      expect(await refusalOf(outer.url(`/redirect?status=${status}&to=${to}`))).toMatch(refused);
    }
    expect(reached).toBe(0);
  });

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['93.184.216.34', '127.0.0.1'],
    ['2606:4700::1111', '::1'],
  ])('reaches nothing by a name for %s %s', async (...addresses) => {
    const found = addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    const by = new PublicFetcher({ allowed: new Set(), resolve: () => Promise.resolve(found) });
    expect(await refusalOf('http://name.example/', by)).toMatch(refused);
    expect(reached).toBe(0);
  });

  it('resolves a name once and connects to that address, so that a second DNS answer cannot redirect it', async () => {
    let asked = 0;
    const resolve = (): Promise<LookupAddress[]> => {
      asked += 1;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    };
    const name = outer.host.replace('127.0.0.1', 'rebind.example');
    const by = new PublicFetcher({ allowed: new Set([name]), resolve });
    const { body } = await by.fetch({ ...request, url: `http://${name}/hello` });
    expect(JSON.parse(body.toString())).toMatchObject({ host: name });
    expect(asked).toBe(1);
  });

  it.each([
    ...['ftp://example.com/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'data:text/plain,x', 'not a url', 'http://'],
    ...['http://user:word@93.184.216.34/', 'http://93.184.216.34:22/', 'http://93.184.216.34:5432/'],
  ])('refuses %s without a DNS query', async (url) => expect(await refusalOf(url)).toMatch(refused));

  it('follows three redirects and no more, none to another protocol', async () => {
    expect(await refusalOf(outer.url('/hop?n=3'))).toBe('fetched');
    expect(await refusalOf(outer.url('/hop?n=4'))).toMatch(refused);
    expect(await refusalOf(outer.url('/loop'))).toMatch(refused);
    for (const to of ['file:///etc/passwd', 'ftp://example.com/', '', 'http://a:b@example.com/']) {
      expect(await refusalOf(outer.url(`/redirect?to=${encodeURIComponent(to)}`))).toMatch(refused);
    }
  });

  it.each(['/drip', '/silent'])('gives up at its deadline: %s', async (path) => {
    await expect(fetcher.fetch({ ...request, url: outer.url(path), deadlineMs: 300 })).rejects.toThrow(refused);
  });

  it.each(['/headers', '/short', '/garbled', '/encoded', '/missing'])('refuses %s', async (path) => {
    expect(await refusalOf(outer.url(path))).toMatch(refused);
  });

  it.each(['/endless', '/bomb'])('stops where a body is too large, counted after decompression: %s', async (path) => {
    await expect(fetcher.fetch({ ...request, url: outer.url(path) })).rejects.toBeInstanceOf(BodyTooLarge);
  });

  it('sends neither cookies nor credentials', async () => {
    const { body, contentType, url } = await fetcher.fetch({ ...request, url: outer.url('/hop?n=1') });
    const headers = JSON.parse(body.toString()) as Record<string, string>;
    expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect({ contentType, url }).toEqual({ contentType: 'text/plain', url: outer.url('/hello') });
  });
});
