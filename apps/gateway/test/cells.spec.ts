import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectBus, hitStream, listWaitingChoices } from '#bus';
import type { BusServer } from '#bus';
import type { Hit } from '#contracts';
import { newId, uuidOf } from '#database';
import { deriveKey, LinkTokens } from '#link-token';
import { until } from '#testing';
import { ToolError } from '#tool-call';
import { FakeDomainService, freshNamespace, masterKey, fakeService, TestGateway } from './fake-services.js';
import type { Json } from './fake-services.js';

const home = freshNamespace();
const other = freshNamespace();
const tokens = new LinkTokens(deriveKey(masterKey, 'links'));
const domain = new FakeDomainService();
const organizationId = newId('org');
let asked: string[] = [];
let placements: string[] = [];
let away = false;
let homeAway = false;
/** Whether the subscriber services of all cells fail. */
let subscriberAway = false;
let services: BusServer[];
let gateway: TestGateway;

/** The services of a cell that holds one image and `reports` of the reported messages. */
const cell = (name: string, own: { imageId: string; reports: number }) => {
  const hear = (answer: (input: Json) => unknown) => (input: Json) => {
    asked.push(name);
    if (homeAway && name === 'home') throw new ToolError('SERVICE_UNAVAILABLE', { service: 'campaign' });
    return answer(input);
  };
  return {
    'tools.subscriber.list_tags': hear(() => ({ tags: [] })),
    'requests.campaign.get_image_file': hear(({ imageId }) => ({
      file: imageId === own.imageId ? { contentType: 'image/gif', content: '' } : null,
    })),
    'requests.subscriber.unsubscribe_by_link': hear(() => {
      if (subscriberAway) throw new ToolError('SERVICE_UNAVAILABLE', { service: 'subscriber' });
      return { email: 'ada@example.com', changed: true };
    }),
    'requests.delivery.record_mail_report': hear(() => ({ recorded: own.reports, unknown: 1 - own.reports, later: 0 })),
  };
};

beforeAll(async () => {
  services = [
    await fakeService(home, {
      ...domain.answers(),
      'requests.domain.get_organization': (_input, caller) => {
        if (away) throw new ToolError('SERVICE_UNAVAILABLE', { service: 'domain' });
        placements.push(caller.organizationId);
        return { organization: { name: 'Ada', cell: caller.organizationId === organizationId ? other : null } };
      },
      ...cell('home', { imageId: 'img_home', reports: 0 }),
    }),
    await fakeService(other, cell('other', { imageId: 'img_other', reports: 1 })),
  ];
  domain.token('at-home');
  domain.token('elsewhere', { cell: other });
  gateway = await TestGateway.start(home, { CELLS: other, WEBHOOK_MAIL_SECRET: 'mx:secret' });
});
afterAll(async () => {
  await gateway.stop();
  for (const one of services) await one.close();
});
beforeEach(() => {
  asked = [];
  placements = [];
  homeAway = false;
});

const link = (of: string) => ({
  organizationId: uuidOf('org', of)!,
  messageId: randomUUID(),
  subscriberId: randomUUID(),
  campaignId: randomUUID(),
  period: '2026-11',
});
const post = (of: string, body: string, { url } = gateway) =>
  fetch(`${url}/u/${tokens.seal('unsubscribe', link(of))}`, { method: 'POST', body });
const leave = async (of: string, at = gateway) => (await post(of, '', at)).status;

describe('a gateway of several cells', () => {
  it('forwards a call to the cell of its token, without a lookup', async () => {
    expect((await gateway.call('elsewhere', 'list_tags')).status).toBe(200);
    expect((await gateway.call('at-home', 'list_tags')).status).toBe(200);
    expect([asked, placements]).toEqual([['other', 'home'], []]);
  });

  it('learns once where the organization of a link is', async () => {
    away = true;
    expect((await post(organizationId, 'action=resubscribe')).status).toBe(503);
    away = false;
    expect([await leave(organizationId), await leave(organizationId)]).toEqual([200, 200]);
    expect(asked).toEqual(['other', 'other']);
    // One for the name on the page, one for the place.
    expect(placements).toHaveLength(2);
  });

  it('stores an unsubscription in the cell of its organization, and in each while it cannot learn which', async () => {
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace: home, name: 'spec' });
    const waiting = async () => {
      const cells = [home, other].map((namespace) => listWaitingChoices({ connection: bus.connection, namespace }));
      return (await Promise.all(cells)).map((choices) => choices.map((choice) => choice.organizationId));
    };
    subscriberAway = true;
    const [unknown, before] = [newId('org'), await waiting()];
    expect([await leave(organizationId), before]).toEqual([200, [[], []]]);
    expect(await waiting()).toEqual([[], [organizationId]]);
    away = true;
    expect(await leave(unknown)).toBe(200);
    expect(await waiting()).toEqual([[unknown], [organizationId, unknown]]);
    subscriberAway = away = false;
    await bus.close();
  });

  it('brings an open to the stream of its cell', async () => {
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace: other, name: 'spec' });
    await hitStream(bus).ensure();
    await hitStream(bus).ensureConsumer('delivery', 'hits', 30_000, 10);
    const of = link(organizationId);
    const heard: Hit[] = [];
    const reading = await hitStream(bus).consume<Hit>('delivery', 10, ({ body, ack }) => {
      heard.push(body);
      ack();
    });
    await fetch(`${gateway.url}/o/${tokens.seal('open', of)}`);
    await until('the hit arrives', () => heard.length === 1);
    expect(uuidOf('msg', heard[0]!.messageId)).toBe(of.messageId);
    await reading.stop();
    await bus.close();
  });

  it('looks up no organization if there is one cell', async () => {
    const alone = await TestGateway.start(home);
    expect(await leave(newId('org'), alone)).toBe(200);
    expect(asked).toEqual(['home']);
    // For the name on the page.
    expect(placements).toHaveLength(1);
    await alone.stop();
  });

  it('looks for an image from cell to cell', async () => {
    const statusOf = async (id: string) => (await fetch(`${gateway.url}/i/${id}.gif`)).status;
    expect(await statusOf('img_home')).toBe(200);
    expect(asked.splice(0)).toEqual(['home']);
    expect(await statusOf('img_other')).toBe(200);
    expect(asked.splice(0)).toEqual(['home', 'other']);
    expect(await statusOf('img_none')).toBe(404);
    homeAway = true;
    expect([await statusOf('img_other'), await statusOf('img_none')]).toEqual([200, 503]);
  });

  it('forwards a report from cell to cell until one has its message', async () => {
    const headers = { authorization: `Basic ${Buffer.from('mx:secret').toString('base64')}` };
    const response = await gateway.send('/webhooks/mail', { method: 'POST', body: 'From: x', headers });
    expect([response.status, response.body, asked]).toEqual([200, { recorded: 1, unknown: 0 }, ['home', 'other']]);
    homeAway = true;
    expect((await gateway.send('/webhooks/mail', { method: 'POST', body: 'From: x', headers })).status).toBe(200);
  });
});
