import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { checkStoreRoom, connectBus, eventStream, hitStream } from '#bus';
import type { Bus } from '#bus';
import { newId, newUuid } from '#database';
import { continueNumbers, EventGapRepository, laneCount, laneOf } from '#events';
import type { EventHandlers } from '#events';
import { storeRoomWarning } from '#service-host';
import { until } from '#testing';
import { findNatsServer } from '../scripts/launch/nats-binaries.mjs';
import { EventFixture } from './harness/event-fixture.js';
import { useFixture } from './harness/use-fixture.js';

/** Applies events in a process of its own, and reports their number. */
const childProgram = (build: string) => `
  import { DataSource } from ${JSON.stringify(join(process.cwd(), 'node_modules/typeorm/index.mjs'))};
  import { connectBus, eventStream } from ${JSON.stringify(`${build}/libs/bus/src/index.js`)};
  import { EventConsumer } from ${JSON.stringify(`${build}/libs/events/src/index.js`)};
  import { runtimeDataSource } from ${JSON.stringify(`${build}/libs/database/src/index.js`)};
  import { createLogger } from ${JSON.stringify(`${build}/libs/observability/src/index.js`)};
  const { url, namespace } = JSON.parse(process.env.SPEC);
  const options = { url, schema: 'subscriber', poolSize: 4, applicationName: 'spec' };
  const dataSource = await new DataSource(runtimeDataSource(options)).initialize();
  const bus = await connectBus({ url: process.env.NATS_URL, namespace, name: 'spec' });
  let events = 0;
  const handlers = { 'tag.added': async (some) => { events += some.length; process.send(events); } };
  new EventConsumer({
    service: 'spec-heap', dataSource, bus, stream: eventStream(bus), handlers,
    log: createLogger('spec', 'error'), committed: () => undefined,
  }).start();
`;

describe('events in amounts', () => {
  const world = useFixture(() => EventFixture.start());

  it('of 100 MB in messages of 1 MB do not exhaust a heap of 384 MB', async () => {
    const [messages, eventsEach, bytesEach] = [100, 500, 1_750];
    const stream = eventStream(world.bus);
    await stream.ensure();
    for (let n = 0; n < messages; n++) {
      const events = Array.from({ length: eventsEach }, () => ({
        id: newId('evt'),
        organizationId: world.organizationId,
        name: 'tag.added',
        data: world.tagAdded(newId('sub'), 'x'.repeat(bytesEach)),
      }));
      const body = JSON.stringify([{ outboxId: newUuid(), events }]);
      expect(body.length).toBeGreaterThan(1_000_000);
      await stream.publish(`events.subscriber.${n % laneCount}`, body);
    }
    const { url } = world.dataSource.options as { url: string };
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=384', '--input-type=module', '--eval', childProgram(process.env.TIDINGS_BUILD_DIR!)],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, NODE_OPTIONS: '', SPEC: JSON.stringify({ url, namespace: world.bus.namespace }) },
      },
    );
    let applied = 0;
    child.on('message', (events: number) => (applied = events));
    await until(
      'all is applied or the process ended',
      () => applied >= messages * eventsEach || child.exitCode !== null || child.signalCode !== null,
      80_000,
    );
    expect([applied, child.exitCode, child.signalCode]).toEqual([messages * eventsEach, null, null]);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});

describe('a stream of events that is full', () => {
  const world = useFixture(() => EventFixture.start());

  it('refuses more, which wait in the outbox, and takes them once all have applied the older ones', async () => {
    const service = 'spec-full';
    const stream = eventStream(world.bus, 1, 3_000_000);
    const subscriberId = newId('sub');
    const applied: number[] = [];
    const handlers: EventHandlers = {
      'tag.added': (events) =>
        Promise.resolve(void applied.push(...events.map(({ data }) => Number(data.tagName.split(' ')[0])))),
    };
    const relay = world.makeRelay({ stream, consumers: [service] });
    const absent = world.makeConsumer(service, handlers, { stream });
    absent.start();
    const isRead = async (lane: number) => (await world.pending(service, lane)) !== null;
    for (let lane = 0; lane < laneCount; lane++) await until('the lane has a consumer', () => isRead(lane));
    await absent.stop();
    relay.start();
    const count = 60;
    for (let n = 0; n < count; n++) {
      await world.write([{ subscriberId, n: `${n} ${'x'.repeat(100_000)}` }]);
      relay.wake();
    }
    await until('it is full', () => relay.isRefused);
    expect(await world.waiting()).toBeGreaterThan(0);
    expect(await stream.fullness()).toBeGreaterThan(0.5);
    const present = world.makeConsumer(service, handlers, { stream });
    present.start();
    await until('all is published', async () => (await world.waiting()) === 0);
    await until('all is applied', () => applied.length >= count);
    expect(applied).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(relay.isRefused).toBe(false);
    expect(await new EventGapRepository(world.dataSource.manager).listOpen(10)).toEqual([]);
    await Promise.all([relay, present].map((one) => one.stop()));
  });
});

describe('a server with a small store', () => {
  let stop: (() => Promise<void>) | undefined;
  afterEach(async () => {
    await stop?.();
    stop = undefined;
  });

  /** Starts a server, and connects to it. `GB` are 1,073,741,824 bytes. */
  async function started(settings: string): Promise<Bus> {
    const folder = mkdtempSync(join(tmpdir(), 'nats-small-'));
    const ports = createServer().listen(0, '127.0.0.1');
    await once(ports, 'listening');
    const { port } = ports.address() as AddressInfo;
    ports.close();
    await once(ports, 'close');
    const file = join(folder, 'nats.conf');
    writeFileSync(file, `listen: "127.0.0.1:${port}"\n${settings.replace('FOLDER', folder)}\n`);
    const server = spawn((await findNatsServer()).file, ['-c', file], { stdio: 'ignore' });
    let bus: Bus | undefined;
    stop = async () => {
      await bus?.close();
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(folder, { recursive: true });
    };
    await until('it accepts connections', async () => {
      bus = await connectBus({ url: `nats://127.0.0.1:${port}`, namespace: 'spec', name: 'spec' }).catch(() => bus);
      return Boolean(bus);
    });
    return bus!;
  }
  const settings = {
    'of its own': 'jetstream { store_dir: "FOLDER", max_file_store: 1GB }',
    'of the account': `jetstream { store_dir: "FOLDER", max_file_store: 100GB }
      no_auth_user: u
      accounts { A { users: [{ user: u, password: p }], jetstream: { max_file: 1GB, max_memory: 1GB } } }`,
  };

  it.each(Object.entries(settings))('gives a stream as much as it can reserve, %s', async (_name, text) => {
    const bus = await started(text);
    for (const times of ['first', 'second']) {
      await eventStream(bus, 1, 4_000_000_000).ensure();
      const { config } = await (await jetstreamManager(bus.connection)).streams.info('spec_events');
      expect([times, config.max_bytes, config.discard]).toEqual([times, 1_000_000_000, 'new']);
    }
  });

  it.each(Object.entries(settings))('has room if the streams may fill at most 80 %% of it, %s', async (_name, text) => {
    const bus = await started(text);
    const planned = { events: 700_000_000, hits: 100_000_000 };
    expect(await checkStoreRoom(bus, planned)).toEqual({ bytes: 800_000_000, isEnough: true });
    await eventStream(bus, 1, planned.events).ensure();
    await hitStream(bus, 1, planned.hits).ensure();
    for (const plan of [planned, {}])
      expect(await checkStoreRoom(bus, plan)).toEqual({ bytes: 800_000_000, isEnough: true });
    await hitStream(bus, 1, 200_000_000).ensure();
    for (const plan of [planned, {}])
      expect(await checkStoreRoom(bus, plan)).toEqual({ bytes: 900_000_000, isEnough: false });
    await hitStream(bus, 1, 100_000_000).ensure();
    // The server had not that much left.
    expect(await checkStoreRoom(bus, { events: 4_000_000_000 })).toMatchObject({ isEnough: false });
    const names = [];
    for await (const { config } of (await jetstreamManager(bus.connection)).streams.list()) names.push(config.name);
    expect(names.sort()).toEqual(['spec_events', 'spec_hits']);
  });

  it('is named at the start of the delivery service', async () => {
    const bus = await started(settings['of its own']);
    const warned: string[] = [];
    const log = { warn: (_data: object, text: string) => void warned.push(text) };
    for (const EVENTS_MAX_MB of [700, 900]) {
      const worker = storeRoomWarning({ bus, config: { EVENTS_MAX_MB, HITS_MAX_MB: 100 }, log });
      await worker.start();
      await worker.stop();
    }
    expect(warned).toEqual([expect.stringMatching(/more than 80 % of the store of NATS; enlarge it/)]);
  });
});

describe('events that the stream no longer has', () => {
  const world = useFixture(() => EventFixture.start());

  it('are noticed by the next one, which is applied, and are known until an operator resolves it', async () => {
    const service = 'spec-gap';
    const subscriberId = newId('sub');
    const lane = laneOf(world.organizationId, subscriberId);
    const applied: string[] = [];
    const handlers: EventHandlers = {
      'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))),
    };
    const relay = world.makeRelay();
    relay.start();
    const publish = async (n: number) => {
      await world.write([{ subscriberId, n }]);
      relay.wake();
      await until(`${n} is published`, async () => (await world.waiting()) === 0);
    };
    const first = world.makeConsumer(service, handlers);
    first.start();
    await publish(1);
    await until('the first is applied', () => applied.includes('1'));
    await first.stop();
    for (const n of [2, 3]) await publish(n);
    const { streams } = await jetstreamManager(world.bus.connection);
    await streams.purge(`${world.bus.namespace}_events`);
    await publish(4);
    const second = world.makeConsumer(service, handlers);
    second.start();
    await until('the next is applied', () => applied.includes('4'));
    await publish(5);
    await until('so is the one after it', () => applied.includes('5'));
    expect(applied).toEqual(['1', '4', '5']);
    const gaps = new EventGapRepository(world.dataSource.manager);
    const gap = { consumer: service, source: 'subscriber', lane, afterNumber: 1, beforeNumber: 4 };
    expect(await gaps.listOpen(10)).toEqual([
      { ...gap, detectedAt: expect.any(Date), resolvedAt: null, missing: null },
    ]);
    expect([await gaps.countOpen(), await gaps.resolveAll(), await gaps.countOpen()]).toEqual([1, 1, 0]);
    await Promise.all([relay, second].map((one) => one.stop()));
  });

  it('are not suspected where a message comes again, its source was restored, or an older program published it', () => {
    expect(continueNumbers({ delivery: 7 }, 'delivery', 8)).toEqual({ numbers: { delivery: 8 }, gap: null });
    expect(continueNumbers({ delivery: 7 }, 'delivery', 7)).toEqual({ numbers: { delivery: 7 }, gap: null });
    expect(continueNumbers({ delivery: 7 }, 'delivery', 2)).toEqual({ numbers: { delivery: 2 }, gap: null });
    expect(continueNumbers({ delivery: 7 }, 'delivery', NaN)).toEqual({ numbers: { delivery: 7 }, gap: null });
    expect(continueNumbers({}, 'delivery', 900)).toEqual({ numbers: { delivery: 900 }, gap: null });
    expect(continueNumbers({ delivery: 7 }, 'delivery', 9).gap).toEqual({ afterNumber: 7, beforeNumber: 9 });
  });
});
