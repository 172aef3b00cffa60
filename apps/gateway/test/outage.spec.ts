import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { BusServer } from '#bus';
import { deriveKey, LinkTokens } from '#link-token';
import { until } from '#testing';
import { FakeDomainService, freshNamespace, masterKey, fakeService, TestGateway } from './fake-services.js';

const namespace = freshNamespace();
const domain = new FakeDomainService();
const token = domain.token('all');
const links = new LinkTokens(deriveKey(masterKey, 'links'));
const sockets = new Set<Socket>();
let cut = false;
let services: BusServer;
let gateway: TestGateway;

/** A connection to NATS that can be cut. */
const line = createServer((near) => {
  if (cut) return void near.destroy();
  const { hostname, port } = new URL(process.env.NATS_URL!);
  const far = connect(Number(port), hostname);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(one);
    one.pipe(other);
    one.on('error', () => undefined).on('close', () => other.destroy());
  }
});

/** How often a tool was called, by its name. */
const calls = new Map<string, number>();
const held: (() => void)[] = [];
/** Answers the call of that number and those after it; the earlier ones once they are not `held` any longer. */
function answeredFrom(first: number, tool: string, data: object): Promise<object> {
  const nth = (calls.get(tool) ?? 0) + 1;
  calls.set(tool, nth);
  return nth < first ? new Promise((answer) => held.push(() => answer(data))) : Promise.resolve(data);
}

beforeAll(async () => {
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  services = await fakeService(namespace, {
    ...domain.answers(),
    'tools.subscriber.list_tags': () => answeredFrom(2, 'list_tags', { tags: [], total: 0 }),
    'tools.subscriber.create_tag': () => answeredFrom(2, 'create_tag', { tagId: 'tag_made' }),
  });
  const url = new URL(process.env.NATS_URL!);
  url.host = `127.0.0.1:${(line.address() as AddressInfo).port}`;
  gateway = await TestGateway.start(namespace, { NATS_URL: url.href.replace(/\/$/, ''), CALL_DEADLINE_MS: '8000' });
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
  for (const socket of sockets) socket.destroy();
  line.close();
});

const readiness = () => fetch(`${gateway.healthUrl}/readyz`);

describe('a call whose reply is lost with the connection', () => {
  it('is made again if its tool only reads, and never if it may have changed something', async () => {
    const reading = gateway.call(token, 'list_tags');
    const changing = gateway.call(token, 'create_tag', { name: 'customer' });
    await until('both were heard', () => calls.size === 2);
    for (const socket of sockets) socket.destroy();
    expect((await reading).status).toBe(200);
    expect((await changing).body).toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    expect([calls.get('list_tags'), calls.get('create_tag')]).toEqual([2, 1]);
    for (const answer of held) answer();
  });
});

describe('while the bus is away', () => {
  it('the gateway is not ready, calls and unsubscriptions are 503, and a token revoked meanwhile is refused afterwards', async () => {
    expect((await gateway.call(token, 'list_tags')).status).toBe(200);
    cut = true;
    for (const socket of sockets) socket.destroy();
    await until('the outage is noticed', async () => (await readiness()).status === 503);
    expect(await (await readiness()).json()).toEqual({ status: 'not ready', failed: ['bus'] });
    expect((await gateway.send('/healthz')).status).toBe(200);
    const answer = await gateway.call(token, 'list_tags');
    expect(answer).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(answer.headers.get('retry-after')).toBe('2');

    const link = { organizationId: randomUUID(), messageId: randomUUID(), subscriberId: randomUUID() };
    const sealed = links.seal('unsubscribe', { ...link, campaignId: null, period: '2026-11' });
    const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
    const page = await fetch(`${gateway.url}/u/${sealed}`, oneClick);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);

    domain.tokens.clear();
    cut = false;
    await until('the bus is back', async () => (await readiness()).status === 200);
    expect(await gateway.call(token, 'list_tags')).toMatchObject({ status: 401, body: { reason: 'TOKEN_REFUSED' } });
  });
});
