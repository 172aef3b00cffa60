import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectBus, eventStream } from '#bus';
import type { Bus } from '#bus';
import { newId } from '#database';
import { durableOf, laneOf, LaneLeaseRepository } from '#events';
import type { EventHandlers } from '#events';
import { until } from '#testing';
import { findNatsServer } from '../scripts/launch/nats-binaries.mjs';
import { EventFixture } from './harness/event-fixture.js';
import { useFixture } from './harness/use-fixture.js';

/** Consumption goes on within 5 s; the rest is for a machine on which other tests run. */
const goesOnWithinMs = 10_000;

const open: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

/** A proxy whose open connections can become silent without being closed. */
class InterruptedWay {
  readonly #server: Server;
  #sockets: Socket[] = [];

  constructor(target: URL) {
    this.#server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.pipe(far);
      far.pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      this.#sockets.push(near, far);
    });
  }

  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Data is accepted and goes nowhere: packets are dropped further on. */
  swallow(): void {
    for (const socket of this.#sockets.splice(0)) socket.unpipe().resume();
  }

  /** Data is no longer accepted: the other side's buffers fill. */
  block(): void {
    for (const socket of this.#sockets.splice(0)) socket.unpipe().pause();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await Promise.resolve();
  }
}

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
  async function interrupted(service: string, interrupt: (way: InterruptedWay, bus: Bus) => void): Promise<number> {
    const nats = new URL(process.env.NATS_URL!);
    const way = keep(new InterruptedWay(new URL(nats)));
    nats.host = `127.0.0.1:${await way.listen()}`;
    const bus = await busBy(nats.toString());
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
  let binary: string;
  const children = new Map<string, ChildProcess>();
  beforeAll(async () => {
    binary = (await findNatsServer()).file;
  });
  afterEach(async () => {
    for (const child of children.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  async function freePort(): Promise<number> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    return port;
  }

  async function startCluster(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
    open.push({ stop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })) });
    const names = ['one', 'two', 'three'];
    const ports = await Promise.all(names.map(freePort));
    const peers = await Promise.all(names.map(freePort));
    const routes = peers.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
    for (const [at, name] of names.entries()) {
      const file = join(folder, `${name}.conf`);
      const lines = [
        `server_name: ${name}`,
        `host: "127.0.0.1"`,
        `port: ${ports[at]}`,
        `jetstream { store_dir: "${join(folder, name)}", max_file_store: 1GB }`,
        `cluster { name: "spec", listen: "127.0.0.1:${peers[at]}", routes: [${routes}] }`,
      ];
      writeFileSync(file, lines.join('\n'));
      children.set(name, spawn(binary, ['-c', file], { stdio: 'ignore' }));
    }
    return ports.map((port) => `nats://127.0.0.1:${port}`).join(',');
  }

  it('delays events by seconds, and each is applied once', async () => {
    const url = await startCluster();
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
    children.get(before!)!.kill('SIGKILL');
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
