import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { connectBus } from '#bus';
import type { BusServer } from '#bus';
import { createdAtOf, newUuid, wireId } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { until } from '#testing';
import type { Caller } from '#tool-call';
import { FakeDomainService, freshNamespace, masterKey, fakeService, TestGateway } from './fake-services.js';
import type { Json } from './fake-services.js';

const namespace = freshNamespace();
const tokens = new LinkTokens(deriveKey(masterKey, 'links'));
let asked: { subject: string; input: Json; caller: Caller }[] = [];
let outcome = 'CONFIRMED';
let sent = true;
let services: BusServer;
let gateway: TestGateway;

/** A UUIDv7 of another day. */
const uuidAt = (at: Date) => {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${newUuid().slice(13)}`;
};
const newLink = (messageId = newUuid()) => ({
  organizationId: randomUUID(),
  subscriberId: randomUUID(),
  messageId,
  campaignId: null,
  period: '2026-11',
});
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const pathOf = (link = newLink()) => `/s/${tokens.seal('confirm', link)}`;
const get = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, { redirect: 'manual', ...init });
const press = (path: string, action: string, headers: Record<string, string> = {}) =>
  get(path, {
    method: 'POST',
    body: `action=${action}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

const domain = new FakeDomainService();

beforeAll(async () => {
  const subscriber = (name: string, answer: () => unknown) => ({
    [`requests.subscriber.${name}`]: (input: Json, caller: Caller) => {
      asked.push({ subject: name, input, caller });
      return answer();
    },
  });
  services = await fakeService(namespace, {
    ...domain.answers(),
    ...subscriber('confirm_subscription', () => ({ outcome, email: 'ada@example.com' })),
    ...subscriber('resend_confirmation', () => ({ sent })),
  });
  gateway = await TestGateway.start(namespace);
});
afterAll(async () => {
  await gateway.stop();
  await services.close();
});
beforeEach(() => {
  asked = [];
  outcome = 'CONFIRMED';
  sent = true;
});

describe('the confirmation page', () => {
  it('asks, and confirms nothing, however often a scanner opens or probes it', async () => {
    const path = pathOf();
    for (const method of ['GET', 'HEAD', 'GET']) expect((await get(path, { method })).status).toBe(200);
    const html = await (await get(path)).text();
    expect(html).toContain('Do you want to receive emails from Ada &amp; Söhne?');
    expect(html).toContain('<form method="post"><button name="action" value="confirm">');
    expect(html).not.toContain('<script');
    expect(asked).toEqual([]);
  });

  it('shows a new name of its organization as soon as the change was broadcast', async () => {
    const link = newLink();
    expect(await (await get(pathOf(link))).text()).toContain('Ada &amp; Söhne');
    domain.organizationName = 'Babbage';
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'domain' });
    bus.broadcast('organization.changed', { organizationId: wireId('org', link.organizationId) });
    await bus.close();
    await until('the page shows the new name', async () =>
      (await (await get(pathOf(link))).text()).includes('Do you want to receive emails from Babbage?'),
    );
    domain.organizationName = 'Ada & Söhne';
  });

  it('confirms by its button, with the evidence of time, address and agent', async () => {
    const link = newLink();
    const response = await press(pathOf(link), 'confirm', { 'user-agent': 'Browser/7' });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toContain('ada@example.com will receive emails from Ada &amp; Söhne.');
    expect(asked).toEqual([
      {
        subject: 'confirm_subscription',
        input: {
          subscriberId: wireId('sub', link.subscriberId),
          linkMadeAt: createdAtOf(link.messageId).toISOString(),
          ip: '127.0.0.1',
          userAgent: 'Browser/7',
        },
        caller: expect.objectContaining({ organizationId: wireId('org', link.organizationId) }),
      },
    ]);
  });

  it('does nothing for forms that are not its own', async () => {
    for (const action of ['', 'unsubscribe', 'CONFIRM']) {
      expect(await (await press(pathOf(), action)).text()).toContain('value="confirm"');
    }
    expect(asked).toEqual([]);
  });

  it('is in French for French readers', async () => {
    const headers = { 'accept-language': 'fr-CA,fr;q=0.9' };
    expect(await (await get(pathOf(), { headers })).text()).toContain('Oui, m’inscrire');
    expect(await (await press(pathOf(), 'confirm', headers)).text()).toContain('Vous êtes inscrit');
  });

  it('of an old link offers a new one', async () => {
    const old = pathOf(newLink(uuidAt(daysAgo(8))));
    expect(await (await get(old)).text()).toContain('value="resend"');
    expect(await (await get(pathOf(newLink(uuidAt(daysAgo(6)))))).text()).toContain('value="confirm"');
    outcome = 'EXPIRED';
    expect(await (await press(old, 'confirm')).text()).toContain('value="resend"');
    expect(await (await press(old, 'resend')).text()).toContain('A new link is on its way');
    sent = false;
    expect(await (await press(old, 'resend')).text()).toContain('within the last hour');
    expect(asked.map(({ subject }) => subject)).toEqual([
      ...['confirm_subscription', 'resend_confirmation', 'resend_confirmation'],
    ]);
  });

  it('says so when there is nothing to confirm', async () => {
    outcome = 'NOT_PENDING';
    expect(await (await press(pathOf(), 'confirm')).text()).toContain('Nothing was changed');
  });

  it('is a 404 for a token of another kind or none, and 503 while the service is away', async () => {
    const other = `/s/${tokens.seal('unsubscribe', newLink())}`;
    for (const path of [other, '/s/nonsense']) {
      expect((await get(path)).status).toBe(404);
      expect((await press(path, 'confirm')).status).toBe(404);
    }
    expect(asked).toEqual([]);
    const alone = await TestGateway.start(freshNamespace());
    const away = await fetch(alone.url + pathOf(), { method: 'POST', body: 'action=confirm' });
    expect(away.status).toBe(503);
    await alone.stop();
  });
});
