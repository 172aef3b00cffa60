import { afterEach, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectBus, eventStream } from '#bus';
import type { Bus } from '#bus';
import { newId } from '#database';
import { durableOf, laneOf, LaneLeaseRepository } from '#events';
import type { EventHandlers } from '#events';
import { SilentProxy, until } from '#testing';
import { startNatsServers } from '../faults/rig/nats-servers.js';
import { EventFixture } from './harness/event-fixture.js';
import { useFixture } from './harness/use-fixture.js';

/** Consumption goes on within 5 s; the rest is for a machine on which other tests run. */
const goesOnWithinMs = 10_000;

const open: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

describe('the consumption of events goes on within seconds', () => {
  const world = useFixture(() => EventFixture.start());

  const applied = new Set<string>();
  const handlers: EventHandlers = {
    'tag.added': (events) => {
      for (const { data } of events) applied.add(data.tagName);
      return Promise.resolve();
    },
  };
  const keep = <T extends { stop(): Promise<unknown> }>(one: T): T => {
    open.push(one);
    return one;
  };

  async function busBy(url: string, namespace = world.bus.namespace): Promise<Bus> {
    const bus = await connectBus({ url, namespace, name: 'spec' });
    keep({ stop: () => bus.close() });
    return bus;
  }

  /** Writes an event, and returns the milliseconds from `since` until it is applied. */
  async function reaction(name: string, since: number, wake: () => void): Promise<number> {
    await world.write([{ subscriberId: newId('sub'), n: name }]);
    wake();
    await until(`${name} is applied`, () => applied.has(name), 40_000);
    return performance.now() - since;
  }

  /** A consumer behind a proxy, whose connection is interrupted after its first event. */
  async function interrupted(service: string, interrupt: (way: SilentProxy, bus: Bus) => void): Promise<number> {
    const way = keep(await SilentProxy.start(process.env.NATS_URL!));
    const bus = await busBy(way.url);
    const relay = keep(world.makeRelay());
    const consumer = keep(world.makeConsumer(service, handlers, { bus, stream: eventStream(bus) }));
    [relay, consumer].forEach((one) => one.start());
    await reaction(`${service} before`, 0, () => relay.wake());
    const since = performance.now();
    interrupt(way, bus);
    return await reaction(`${service} after`, since, () => relay.wake());
  }

  it('when packets are dropped on a connection that stays open', async () => {
    const tookMs = await interrupted('spec-half-open', (way) => way.swallow());
    expect(tookMs).toBeLessThan(goesOnWithinMs);
  });

  it('when a socket is blocked while data waits to be sent', async () => {
    const tookMs = await interrupted('spec-blocked', (way, bus) => {
      way.block();
      const megabyte = new Uint8Array(1_000_000);
      for (let n = 0; n < 16; n++) bus.connection.publish(`${bus.namespace}.filler`, megabyte);
    });
    expect(tookMs).toBeLessThan(goesOnWithinMs);
  });
});

describe('a change of leaders in a cluster of three servers', () => {
  const world = useFixture(() => EventFixture.start());
  it('delays events by seconds, and each is applied once', async () => {
    const cluster = await startNatsServers({ servers: 3 });
    open.push(cluster);
    const { url } = cluster;
    let bus!: Bus;
    const isReady = async () => {
      try {
        bus ??= await connectBus({ url, namespace: world.bus.namespace, name: 'spec' });
        await eventStream(bus, 3).ensure();
        return true;
      } catch {
        return false;
      }
    };
    await until('the cluster has a leader', isReady, 80_000);
    open.push({ stop: () => bus.close() });
    const applied: string[] = [];
    const handlers: EventHandlers = {
      'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))),
    };
    const parts = { bus, stream: eventStream(bus, 3) };
    const relay = world.makeRelay(parts);
    const consumer = world.makeConsumer('spec-leader', handlers, parts);
    for (const one of [relay, consumer]) {
      one.start();
      open.push(one);
    }
    const subscriberId = newId('sub');
    const arrives = async (n: string, withinMs: number): Promise<number> => {
      const since = performance.now();
      await world.write([{ subscriberId, n }]);
      relay.wake();
      await until(`${n} is applied`, () => applied.includes(n), withinMs);
      return performance.now() - since;
    };
    await arrives('first', 60_000);
    const lane = laneOf(world.organizationId, subscriberId);
    const stream = `${world.bus.namespace}_events`;
    const held = (await new LaneLeaseRepository(world.dataSource.manager).list('consumer spec-leader'))[lane]!;
    const durable = durableOf('spec-leader', held);
    const before = (await (await jetstreamManager(bus.connection)).consumers.info(stream, durable)).cluster!.leader;
    for (const group of [`CONSUMER.LEADER.STEPDOWN.${stream}.${durable}`, `STREAM.LEADER.STEPDOWN.${stream}`])
      await bus.connection.request(`$JS.API.${group}`, undefined, { timeout: 5_000 });
    expect(await arrives('after a step-down', 40_000)).toBeLessThan(goesOnWithinMs);
    // Its machine is gone without a word.
    cluster.kill(before!);
    await until('the stream has a leader again', async () => {
      const manager = await jetstreamManager(bus.connection, { timeout: 1_000 }).catch(() => null);
      return Boolean(
        await manager?.streams
          .info(stream)
          .then(({ cluster }) => cluster?.leader)
          .catch(() => null),
      );
    });
    expect(await arrives('after a kill', 60_000)).toBeLessThan(3 * goesOnWithinMs);
    expect(applied).toEqual(['first', 'after a step-down', 'after a kill']);
  }, 240_000);
});
