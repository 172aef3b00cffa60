import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PublicFetcher } from '#public-fetch';

/** Answers questions for `good.test` with 127.0.0.1 (RFC 1035), and never those for any other name. */
async function startDns(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    if (!query.includes('good')) return;
    const end = query.indexOf(0, 12) + 5;
    const isA = query.readUInt16BE(end - 4) === 1;
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...(isA ? [answer] : [])]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket;
}

describe('fetching for several organizations', () => {
  let dns: Socket;
  let server: Server;
  let port: number;
  beforeAll(async () => {
    dns = await startDns();
    server = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    dns.close();
    server.close();
  });

  it('asks DNS_SERVERS, and keeps no organization waiting for the unanswered names of another', async () => {
    const fetcher = new PublicFetcher({
      allowed: new Set([`good.test:${port}`]),
      dnsServers: [`127.0.0.1:${dns.address().port}`],
    });
    const request = (organizationId: string, host: string) => ({
      organizationId,
      url: `http://${host}/`,
      accept: '*/*',
      bytesMax: 1_000,
      deadlineMs: 3_000,
    });
    let ended = 0;
    const slow = Array.from({ length: 60 }, (_, n) =>
      fetcher.fetch(request('org_slow', `slow${n}.test`)).catch(() => (ended += 1)),
    );
    const { body } = await fetcher.fetch(request('org_good', `good.test:${port}`));
    expect(body.toString()).toBe('hello');
    expect(ended).toBe(0);
    await Promise.all(slow);
    expect(ended).toBe(60);
  });
});
