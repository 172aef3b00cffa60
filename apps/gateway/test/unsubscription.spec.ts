import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { ClockSkews, connectBus, listWaitingChoices } from '#bus';
import type { Bus, BusServer } from '#bus';
import { wireId } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { ToolError } from '#tool-call';
import { FakeDomainService, freshNamespace, masterKey, fakeService, TestGateway } from './fake-services.js';

const namespace = freshNamespace();
const stream = `${namespace}_choices`;
const tokens = new LinkTokens(deriveKey(masterKey, 'links'));
const done = { email: 'ada@example.com', changed: true, resubscribable: true };
/** The subscriber service's response to an unsubscription. */
let answer: () => unknown;
let services: BusServer;
let gateway: TestGateway;
let bus: Bus;

const newLink = () => ({
  organizationId: randomUUID(),
  messageId: randomUUID(),
  subscriberId: randomUUID(),
  campaignId: randomUUID(),
  period: '2026-11',
});
const submit = (path: string, body: string, language = 'en') =>
  fetch(gateway.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': language },
  });
const oneClick = (link = newLink()) => submit(`/u/${tokens.seal('unsubscribe', link)}`, 'List-Unsubscribe=One-Click');
const away = () => {
  throw new ToolError('SERVICE_UNAVAILABLE', { service: 'subscriber' });
};

beforeAll(async () => {
  services = await fakeService(namespace, {
    ...new FakeDomainService().answers(),
    'requests.subscriber.unsubscribe_by_link': () => answer(),
  });
  gateway = await TestGateway.start(namespace);
  bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'spec' });
});
afterAll(async () => {
  await gateway.stop();
  await bus.close();
  await services.close();
});
beforeEach(async () => {
  answer = away;
  const { streams } = await jetstreamManager(bus.connection);
  await streams.purge(stream).catch(() => undefined);
});

describe('an unsubscription by a link while the subscriber service is away', () => {
  it('is stored with its instant before it is answered 200', async () => {
    const link = newLink();
    const before = Date.now();
    expect((await oneClick(link)).status).toBe(200);
    const [choice, ...others] = await listWaitingChoices(bus);
    expect(others).toEqual([]);
    expect(choice).toEqual({
      id: expect.stringMatching(/^evt_/),
      organizationId: wireId('org', link.organizationId),
      name: 'unsubscription.requested',
      data: {
        subscriberId: wireId('sub', link.subscriberId),
        source: 'one-click',
        campaignId: wireId('cmp', link.campaignId),
        messageId: wireId('msg', link.messageId),
        at: expect.any(String),
      },
    });
    const at = new Date(choice!.data.at).getTime();
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('is stored with its instant by the clock of the services, where that differs from the gateway’s', async () => {
    const skew = jest.spyOn(ClockSkews.prototype, 'skewMs').mockReturnValue(120_000);
    const before = Date.now();
    expect((await oneClick()).status).toBe(200);
    skew.mockRestore();
    const [choice] = await listWaitingChoices(bus);
    expect(new Date(choice!.data.at).getTime()).toBeGreaterThanOrEqual(before + 120_000);
  });

  it.each([
    ['u', 'page', 'en', 'Your unsubscription is noted', 'Emails from Ada &amp; Söhne will stop in a moment.'],
    ['p', 'preferences', 'fr', 'Votre désabonnement est enregistré', 'Les e-mails de Ada &amp; Söhne cesseront'],
  ] as const)('by the page /%s is noted (%s), and says so in %s', async (route, source, language, title, sentence) => {
    const token = tokens.seal(route === 'u' ? 'unsubscribe' : 'preferences', newLink());
    const response = await submit(`/${route}/${token}`, 'action=unsubscribe', language);
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain(title);
    expect(html).toContain(sentence);
    expect(html).not.toContain('<button');
    expect((await listWaitingChoices(bus)).map(({ data }) => data.source)).toEqual([source]);
  });

  it('waits once however often its link is used, with the instant of the last use', async () => {
    const link = newLink();
    await oneClick(link);
    const [first] = await listWaitingChoices(bus);
    await oneClick(link);
    const waiting = await listWaitingChoices(bus);
    expect(waiting).toHaveLength(1);
    expect(waiting[0]!.data.at > first!.data.at).toBe(true);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('a defect'))],
    // oxlint-disable-next-line tidings/fixed-waits -- a service that answers late
    ['does not answer in time', () => new Promise((answered) => setTimeout(() => answered(done), 5_000).unref())],
  ])('is stored as well where the service %s, within the 3 s that a recipient waits', async (_what, behave) => {
    answer = behave;
    const before = performance.now();
    expect((await oneClick()).status).toBe(200);
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(await listWaitingChoices(bus)).toHaveLength(1);
  });

  it('is not stored where the service answers', async () => {
    answer = () => done;
    expect(await (await oneClick()).text()).toContain('You are unsubscribed');
    expect(await listWaitingChoices(bus)).toEqual([]);
  });

  it('is refused with 503 and Retry-After, and replaces none, while no more can be stored', async () => {
    const first = newLink();
    expect((await oneClick(first)).status).toBe(200);
    const { streams } = await jetstreamManager(bus.connection);
    await streams.update(stream, { max_msgs: 1 });
    const refused = await oneClick();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await listWaitingChoices(bus)).map(({ data }) => data.messageId)).toEqual([wireId('msg', first.messageId)]);
    // The next use creates the stream with its own settings.
    expect((await oneClick()).status).toBe(200);
  });

  it('is counted by the gateway, with the age of the oldest, since the service that applies it is away', async () => {
    await oneClick();
    await oneClick();
    const fresh = await TestGateway.start(namespace);
    const metrics = await (await fetch(`${fresh.healthUrl}/metrics`)).text();
    await fresh.stop();
    expect(metrics).toMatch(new RegExp(`tidings_choices_pending\\{[^}]*cell="${namespace}"[^}]*\\} 2\\n`));
    expect(metrics).toMatch(new RegExp(`tidings_choices_oldest_seconds\\{[^}]*cell="${namespace}"[^}]*\\} \\d`));
  });
});
