import { describe, expect, it, jest } from '@jest/globals';
import type { ServiceBus } from '#bus';
import { domainRequests } from '#contracts';
import { uuidOf } from '#database';
import { RemoteFailure } from '#tool-call';
import { until } from '#testing';
import { people, SendFixture } from '../send-fixture.js';
import type { Sending, StartedSend } from '../send-fixture.js';

jest.setTimeout(120_000);

/** The bus of an engine that gets no response of the domain service; everything else works. */
const withoutDomain = (bus: ServiceBus): ServiceBus => {
  const away = () => Promise.reject(new RemoteFailure({ code: 'UNAVAILABLE', message: 'The domain service is away.' }));
  const client = (requests: { service: string }) =>
    requests === domainRequests ? new Proxy({}, { get: () => away }) : bus.client(requests as never);
  return new Proxy(bus, {
    get: (target, name) => {
      if (name === 'client') return client;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
};

describe('campaigns while the domain service is away', () => {
  const world = SendFixture.ofSuite({}, 1);

  /** Sends to a few people with the domain service there, so that its answers are known. */
  const known = async (): Promise<Sending> => {
    const tenant = await world.organization();
    await sent(tenant, await world.send(tenant, await world.audience(tenant, people(3))), await start());
    await world.stopEngines();
    return tenant;
  };

  const start = async () => {
    const sink = await world.relay();
    world.engine(sink.url);
    return sink;
  };

  const startAway = async () => {
    const sink = await world.relay();
    world.engine(sink.url, {}, undefined, withoutDomain(world.tidings.bus));
    return sink;
  };

  /** Sends of earlier tests that waited may go on beside it. */
  const sent = async ({ sender }: Sending, send: StartedSend, sink: { messages: readonly { raw: string }[] }) => {
    expect(await world.finished(send)).toMatchObject({ sent: 3, failed: 0, skipped: {} });
    expect(sink.messages.filter(({ raw }) => raw.includes(`d=${sender.domain}`))).toHaveLength(3);
  };

  const waits = async (send: StartedSend) => {
    await until('it says what it waits for', async () => (await world.progress(send)).waitingFor !== null, 60_000);
    expect(await world.progress(send)).toMatchObject({ sent: 0, waitingFor: 'The domain service is away.' });
  };

  const age = async ({ organizationId }: Sending, hours: number) =>
    await world.database.query(
      `update kept_answer set confirmed_at = clock_timestamp() - make_interval(hours => $2) where organization_id = $1`,
      [uuidOf('org', organizationId), hours],
    );

  it('go on for hours in a new process, signed and with links as before', async () => {
    const tenant = await known();
    await age(tenant, 23);
    const sink = await startAway();
    await sent(tenant, await world.send(tenant, await world.audience(tenant, [])), sink);
    expect(sink.messages[0]!.raw).toContain(`d=${tenant.sender.domain}`);
  });

  it('wait after a day without contact, and go on when it is back', async () => {
    const tenant = await known();
    await age(tenant, 25);
    await startAway();
    const send = await world.send(tenant, await world.audience(tenant, []));
    await waits(send);
    await world.stopEngines();
    await sent(tenant, send, await start());
  });

  it('wait for a sender that was never asked about', async () => {
    await known();
    await startAway();
    const tenant = await world.organization();
    await waits(await world.send(tenant, await world.audience(tenant, people(3))));
  });

  it('wait for a sender whose domain changed, since its key was deleted at once', async () => {
    const tenant = await known();
    await startAway();
    const { organizationId } = tenant;
    world.tidings.bus.broadcast('sending-domain.changed', { organizationId, domain: tenant.sender.domain });
    const keys = async () =>
      await world.database.query<unknown[]>(
        `select 1 from kept_answer where organization_id = $1 and name like 'key %'`,
        [uuidOf('org', organizationId)],
      );
    await until('the key is deleted', async () => (await keys()).length === 0, 10_000);
    await waits(await world.send(tenant, await world.audience(tenant, [])));
  });

  it('keep keys sealed', async () => {
    const { organizationId } = await known();
    const rows = await world.database.query<{ sealed: Buffer }[]>(
      `select sealed from kept_answer where organization_id = $1`,
      [uuidOf('org', organizationId)],
    );
    expect(rows).toHaveLength(3);
    expect(rows.filter(({ sealed }) => sealed.includes('PRIVATE KEY'))).toEqual([]);
  });
});
