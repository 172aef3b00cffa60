import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectBus, uiStream } from '#bus';
import type { Bus, BusServer } from '#bus';
import { hashApiToken } from '#tool-call';
import { until } from '#testing';
import { EventReader } from './event-reader.js';
import { FakeDomainService, fakeService, freshNamespace, TestGateway } from './fake-services.js';

describe('live updates', () => {
  const namespace = freshNamespace();
  const domain = new FakeDomainService();
  let services: BusServer;
  let bus: Bus;
  let first: TestGateway;
  let second: TestGateway;
  const readers: EventReader[] = [];

  beforeAll(async () => {
    services = await fakeService(namespace, domain.answers());
    bus = await connectBus({ url: process.env.NATS_URL!, name: 'publisher', namespace });
    [first, second] = await Promise.all([TestGateway.start(namespace), TestGateway.start(namespace)]);
  });

  afterAll(async () => {
    readers.forEach((reader) => reader.close());
    await Promise.all([first.stop(), second.stop()]);
    await services.close();
    await bus.close();
  });

  let count = 0;
  /** A token of an organization of its own. */
  const tenant = (change: Parameters<FakeDomainService['token']>[1] = {}) => {
    const name = `live${(count += 1)}`;
    return { token: domain.token(name, change), organization: `org_${name}` };
  };

  /** Opens a stream, and waits until it is established. */
  async function open(gateway: TestGateway, token: string, path?: string, lastEventId?: string): Promise<EventReader> {
    const reader = await EventReader.withToken(gateway.url, token, path, lastEventId);
    readers.push(reader);
    if (reader.status === 200)
      await until('the stream has a position', () => /^[a-z0-9]+-\d+$/.test(reader.lastEventId), 10_000, 5);
    else await until('the refusal is read', () => reader.isEnded);
    return reader;
  }

  const progress = (organization: string, id: string, sent: number) =>
    bus.live.publish({ name: 'campaign.progress', id, organization, numbers: { sent } });

  it('stream to a token the updates of its own organization only, without caching', async () => {
    const { token, organization } = tenant();
    const reader = await open(first, token);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    expect(reader.text).toMatch(/^retry: 3000\n/);
    progress('org_other', 'cmp_other', 7);
    bus.live.publish({ name: 'workflow.changed', id: 'wf_1', organization, by: 'usr_1' });
    progress(organization, 'cmp_1', 3);
    await reader.next('campaign.progress');
    expect(reader.events.map(({ name, data }) => ({ name, data }))).toEqual([
      {
        name: 'workflow.changed',
        data: { noun: 'workflow', id: 'wf_1', at: expect.any(String), by: 'usr_1', organization, numbers: {} },
      },
      {
        name: 'campaign.progress',
        data: { noun: 'campaign', id: 'cmp_1', at: expect.any(String), organization, numbers: { sent: 3 } },
      },
    ]);
  });

  it('are refused without a token, with an unknown one, without the scope read, and for what does not exist', async () => {
    const writer = tenant({ scopes: ['write'] });
    const { token, organization } = tenant();
    const refusals = async (path: string, headers: Record<string, string>) => {
      const { status, body } = await first.send(path, { headers });
      return [status, body.reason];
    };
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
    expect(await refusals('/api/events', {})).toEqual([401, 'TOKEN_MISSING']);
    expect(await refusals('/api/events', bearer('unknown'))).toEqual([401, 'TOKEN_REFUSED']);
    expect(await refusals('/api/events', bearer(writer.token))).toEqual([403, 'TOKEN_SCOPE_MISSING']);
    expect(await refusals('/api/events?nouns=campaign,pigeon', bearer(token))).toEqual([400, 'PARAMETERS_INVALID']);
    expect(await refusals('/api/events?organization=org_other', bearer(token))).toEqual([
      404,
      'ORGANIZATION_NOT_FOUND',
    ]);
    expect((await open(first, token, `/api/events?organization=${organization}`)).status).toBe(200);
  });

  it('are narrowed to nouns', async () => {
    const { token, organization } = tenant();
    const reader = await open(first, token, '/api/events?nouns=import,workflow');
    progress(organization, 'cmp_1', 1);
    bus.live.publish({ name: 'import.progress', id: 'imp_1', organization });
    await reader.next('import.progress');
    expect(reader.events.map(({ name }) => name)).toEqual(['import.progress']);
  });

  it('come at most once a second of one record, and the last always', async () => {
    const { token, organization } = tenant();
    const reader = await open(first, token);
    const other = await connectBus({ url: process.env.NATS_URL!, name: 'another process', namespace });
    const started = Date.now();
    const arrived: number[] = [];
    reader.response.on('data', () => arrived.push(Date.now()));
    for (let sent = 1; sent <= 100; sent++) {
      const numbers = { sent };
      (sent % 2 ? bus : other).live.publish({ name: 'campaign.progress', id: 'cmp_1', organization, numbers });
      // Updates of a second or more, in the rate of a send.
      // oxlint-disable-next-line tidings/fixed-waits -- the passing of time is what is tested
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await reader.next('campaign.progress', ({ numbers }) => numbers.sent === 100);
    const seconds = (Date.now() - started) / 1000;
    expect(reader.events.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    for (let at = 1; at < arrived.length; at++) expect(arrived[at]! - arrived[at - 1]!).toBeGreaterThan(900);
    await other.close();
  });

  it('continue on another gateway after a break, and miss nothing that happened meanwhile', async () => {
    const { token, organization } = tenant();
    const before = await open(first, token);
    progress(organization, 'cmp_1', 1);
    const { id } = await before.next('campaign.progress');
    before.close();
    progress(organization, 'cmp_2', 2);
    progress('org_other', 'cmp_3', 3);
    const after = await open(second, token, undefined, id);
    await after.next('campaign.progress', (data) => data.id === 'cmp_2');
    expect(after.events.map(({ data }) => data.id)).toEqual(['cmp_2']);
    // What was delivered does not come twice.
    const again = await open(first, token, undefined, after.lastEventId);
    progress(organization, 'cmp_4', 4);
    await again.next('campaign.progress', (data) => data.id === 'cmp_4');
    expect(again.events.map(({ data }) => data.id)).toEqual(['cmp_4']);
  });

  it('answer reset to a position of another stream, of the future, or too old', async () => {
    const { token } = tenant();
    const { lastEventId } = await open(first, token);
    const [birth] = lastEventId.split('-');
    for (const id of ['elsewhere-3', `${birth}-999999`, `${birth}-`, 'nonsense', `${birth}--1`]) {
      const reader = await open(second, token, undefined, id);
      expect(reader.events).toEqual([{ name: 'reset', id: expect.stringContaining(`${birth}-`), data: {} }]);
      reader.close();
    }
  });

  it('miss no final state when the gateway is replaced in the middle of a send', async () => {
    const { token, organization } = tenant();
    const doomed = await TestGateway.start(namespace);
    const before = await open(doomed, token);
    let sent = 0;
    const sending = setInterval(() => progress(organization, 'cmp_1', (sent += 1)), 20);
    await before.next('campaign.progress', ({ numbers }) => numbers.sent > 10);
    const stopping = doomed.stop();
    await until('the stream ends with its gateway', () => before.isEnded);
    clearInterval(sending);
    progress(organization, 'cmp_1', 1_000_000);
    const after = await open(second, token, undefined, before.lastEventId);
    await after.next('campaign.progress', ({ numbers }) => numbers.sent === 1_000_000);
    await stopping;
  });

  it('end within a second on every gateway when the token is revoked', async () => {
    const { token, organization } = tenant();
    const streams = [await open(first, token), await open(second, token)];
    domain.tokens.delete(hashApiToken(token));
    bus.broadcast('token.changed', { tokenHash: hashApiToken(token) });
    await until('both streams end', () => streams.every(({ isEnded }) => isEnded), 1_000, 5);
    expect(streams.map(({ events }) => events.map(({ name }) => name))).toEqual([['session.ended'], ['session.ended']]);
    progress(organization, 'cmp_1', 1);
  });

  it('go on when the organization of a token changes, which is an update itself', async () => {
    const { token, organization } = tenant();
    const reader = await open(first, token);
    bus.broadcast('organization.changed', { organizationId: organization });
    expect((await reader.next('organization.changed')).data).toMatchObject({ noun: 'organization', id: organization });
    progress(organization, 'cmp_1', 1);
    await reader.next('campaign.progress');
    expect(reader.isEnded).toBe(false);
  });

  it('are limited by caller and organization, and a closed stream makes room', async () => {
    const { token } = tenant();
    const streams: EventReader[] = [];
    for (let n = 0; n < 5; n++) streams.push(await open(first, token));
    const sixth = await open(first, token);
    expect([sixth.status, JSON.parse(sixth.text)]).toMatchObject([429, { reason: 'STREAMS_TOO_MANY' }]);
    streams[0]!.close();
    await until('there is room again', async () => (await open(first, token)).status === 200);

    const many = Array.from({ length: 41 }, () => tenant({ organizationId: 'org_crowded' }));
    const statuses: number[] = [];
    for (let n = 0; n < 201; n++) statuses.push((await open(second, many[Math.floor(n / 5)]!.token)).status);
    expect(statuses).toEqual([...Array<number>(200).fill(200), 429]);
  });

  it('are limited to five of a user and their personal tokens together', async () => {
    const own = [1, 2].map(() => tenant({ organizationId: 'org_personal', userId: 'usr_personal' }).token);
    const statuses: number[] = [];
    for (const token of [own[0]!, own[0]!, own[0]!, own[1]!, own[1]!, own[1]!])
      statuses.push((await open(first, token)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('hold only what the toolsets of a token may read, and end when these are narrowed', async () => {
    const { token, organization } = tenant({ toolsets: ['campaigns'] });
    const reader = await open(first, token);
    bus.live.publish({ name: 'workflow.changed', id: 'wf_1', organization });
    bus.live.publish({ name: 'import.progress', id: 'imp_1', organization });
    progress(organization, 'cmp_1', 1);
    await reader.next('campaign.progress');
    expect(reader.events.map(({ name }) => name)).toEqual(['campaign.progress']);
    const again = await open(second, token, undefined, `${reader.lastEventId.split('-')[0]!}-0`);
    expect(again.events.map(({ name }) => name)).not.toContain('workflow.changed');
    const tokenHash = hashApiToken(token);
    domain.tokens.set(tokenHash, { ...domain.tokens.get(tokenHash)!, toolsets: ['tags'] });
    bus.broadcast('token.changed', { tokenHash });
    await until('both streams end', () => reader.isEnded && again.isEnded);
  });

  it('answer reset to a client that missed more than 200 events', async () => {
    const { token, organization } = tenant();
    const reader = await open(first, token);
    const { lastEventId } = reader;
    for (let n = 0; n <= 200; n++) progress(organization, `cmp_${n}`, n);
    await reader.next('campaign.progress', ({ id }) => id === 'cmp_200');
    const again = await open(first, token, undefined, lastEventId);
    expect(again.events.map(({ name }) => name)).toEqual(['reset']);
  });

  it('cut off a reader that is 256 kB behind, which costs the others nothing', async () => {
    const { token, organization } = tenant();
    const slow = await open(first, token);
    const quick = await open(first, token);
    slow.response.socket.pause();
    const numbers = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`some_number_${n}`, n]));
    let cut = false;
    const isCut = async () => {
      const { status } = await fetch(`${first.healthUrl}/metrics`).then(async (reply) => {
        cut = /tidings_live_streams_ended_total\{[^}]*cause="behind"[^}]*\} 1/.test(await reply.text());
        return reply;
      });
      return status === 200 && cut;
    };
    // The kernel's buffers take some megabytes before the gateway's does.
    for (let round = 0; round < 60 && !(await isCut()); round++) {
      for (let n = 0; n < 400; n++)
        bus.live.publish({ name: 'workflow.changed', id: `wf_${round}_${n}`, organization, numbers });
      await quick.next('workflow.changed', ({ id }) => id === `wf_${round}_399`);
    }
    expect(await isCut()).toBe(true);
    expect(quick.isEnded).toBe(false);
  });

  it('answer reset when the stream is lost, and go on with the new one', async () => {
    const { token, organization } = tenant();
    const reader = await open(first, token);
    const manager = await jetstreamManager(bus.connection);
    await manager.streams.delete(`${namespace}_ui`);
    await uiStream(bus).ensure();
    const { id } = await reader.next('reset', undefined, 20_000);
    progress(organization, 'cmp_1', 1);
    const update = await reader.next('campaign.progress');
    expect(update.id.split('-')[0]).toBe(id.split('-')[0]);
  });
});
