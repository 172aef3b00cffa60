import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DiscardPolicy, jetstream } from '@nats-io/jetstream';
import { DataSource } from 'typeorm';
import { connectBus, DurableStream, eventStream } from '#bus';
import type { Bus } from '#bus';
import { newId, newUuid, runtimeDataSource, runtimeUrl } from '#database';
import { durableOf, EventConsumer, laneOf, Outbox, OutboxRepository, Relay } from '#events';
import type { ConsumerOptions, EventHandlers } from '#events';
import { createLogger } from '#observability';
import { until, testRolePrefix } from '#testing';
import type { TestDatabase } from '#testing';
import { environmentFor, freshDatabase } from './plans.js';

/** A thousand subscribers' tag events, each numbered, so that order and count of effects can be told. */
describe('events between services', () => {
  const organizationId = newId('org');
  const log = createLogger('spec', process.env.TEST_LOG_LEVEL ?? 'silent');
  let database: TestDatabase;
  let dataSource: DataSource;
  let bus: Bus;

  beforeAll(async () => {
    database = await freshDatabase();
    const url = runtimeUrl({
      ownerUrl: database.url,
      rolePrefix: testRolePrefix,
      schema: 'subscriber',
      masterKey: environmentFor('').MASTER_KEY!,
    });
    dataSource = await new DataSource(
      runtimeDataSource({ url, schema: 'subscriber', poolSize: 8, applicationName: 'spec' }),
    ).initialize();
    bus = await connectBus({ url: process.env.NATS_URL!, namespace: `t-${randomUUID().slice(0, 8)}`, name: 'spec' });
  });
  afterAll(async () => {
    await bus.close();
    await dataSource.destroy();
    await database.drop();
  });

  const tagAdded = (subscriberId: string, n: number | string) =>
    ({
      subscriberId,
      subscriberStatus: 'SUBSCRIBED',
      triggerWorkflows: true,
      cause: { kind: 'tool', id: null },
      occurredAt: '2026-01-01T00:00:00.000Z',
      tagId: newId('tag'),
      tagName: String(n),
    }) as const;

  const write = (events: { subscriberId: string; n: number | string }[]) =>
    dataSource.transaction(async (manager) => {
      const outbox = new Outbox('subscriber');
      for (const { subscriberId, n } of events)
        outbox.add(organizationId, 'tag.added', tagAdded(subscriberId, n), subscriberId);
      await outbox.flush(manager);
    });

  const makeRelay = () =>
    new Relay({ service: 'subscriber', sql: dataSource.manager, bus, stream: eventStream(bus), log });
  const makeConsumer = (service: string, handlers: EventHandlers, options: Partial<ConsumerOptions> = {}) =>
    new EventConsumer({
      ...{ service, dataSource, bus, stream: eventStream(bus), handlers, log, committed: () => undefined },
      ...options,
    });

  it('reach each consumer once and in order per subscriber, with two relays and two consumers running', async () => {
    const subscribers = Array.from({ length: 40 }, () => newId('sub'));
    const seen = new Map<string, number[]>();
    const handlers: EventHandlers = {
      'tag.added': (events) => {
        for (const { data } of events)
          seen.set(data.subscriberId, [...(seen.get(data.subscriberId) ?? []), Number(data.tagName)]);
        return Promise.resolve();
      },
    };
    let commits = 0;
    const consumer = () => makeConsumer('spec-order', handlers, { committed: () => commits++ });
    const runners = [makeRelay(), makeRelay(), consumer(), consumer()];
    runners.forEach((runner) => runner.start());
    for (let n = 0; n < 25; n++) await write(subscribers.map((subscriberId) => ({ subscriberId, n })));
    runners.slice(0, 2).forEach((relay) => (relay as Relay).wake());
    await until(
      'all 1,000 events arrive',
      () => [...seen.values()].reduce((sum, { length }) => sum + length, 0) >= 1000,
      20_000,
    );
    await Promise.all(runners.map((runner) => runner.stop()));
    // Loops that rest look again after each.
    expect(commits).toBeGreaterThan(0);
    const inOrder = Array.from({ length: 25 }, (_, n) => n);
    expect([...seen.values()].every((numbers) => JSON.stringify(numbers) === JSON.stringify(inOrder))).toBe(true);
  });

  it('that change nothing for a service are read, and leave nothing behind', async () => {
    const applied: string[] = [];
    const consumer = makeConsumer(
      'spec-concern',
      { 'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))) },
      { concernedBy: ({ data }) => (data as { tagName: string }).tagName.startsWith('ours') },
    );
    const relay = makeRelay();
    [relay, consumer].forEach((runner) => runner.start());
    const subscriberId = newId('sub');
    const seen = async (): Promise<number> =>
      (await dataSource.query(`select count(*)::int as n from inbox where consumer = 'spec-concern'`))[0].n;
    const lane = laneOf(organizationId, subscriberId);
    for (const n of ['theirs', 'nobody’s']) {
      await write([{ subscriberId, n }]);
      relay.wake();
    }
    await until('both are published and read', async () => {
      const { envelopes } = await new OutboxRepository(dataSource.manager).countUnpublished();
      // Until the lane is claimed, nobody reads it.
      const pending = await eventStream(bus)
        .pending(durableOf('spec-concern', lane))
        .catch(() => null);
      return envelopes === 0 && pending === 0;
    });
    expect([await seen(), applied]).toEqual([0, []]);
    await write([
      { subscriberId, n: 'theirs too' },
      { subscriberId, n: 'ours' },
    ]);
    relay.wake();
    await until('ours is applied', () => applied.includes('ours'));
    expect([await seen(), applied]).toEqual([1, ['theirs too', 'ours']]);
    await Promise.all([relay, consumer].map((runner) => runner.stop()));
  });

  it('that cannot be applied are put aside with their error, and hold nobody up', async () => {
    const bad = newId('sub');
    const good = newId('sub');
    const applied: string[] = [];
    const consumer = makeConsumer('spec-poison', {
      'tag.added': (events) => {
        for (const { data } of events) {
          if (data.subscriberId === bad) throw new Error('cannot be applied');
          if (data.subscriberId === good) applied.push(data.tagName);
        }
        return Promise.resolve();
      },
    });
    const relay = makeRelay();
    relay.start();
    consumer.start();
    await write(
      [1, 2, 3].flatMap((n) => [
        { subscriberId: bad, n },
        { subscriberId: good, n },
      ]),
    );
    relay.wake();
    await until('good events arrive', () => applied.length >= 3, 20_000);
    const letters = () =>
      dataSource.query<{ error: string }[]>(`select error from dead_letter where consumer = 'spec-poison'`);
    await until('bad ones are put aside', async () => (await letters()).length === 3, 20_000);
    await Promise.all([relay.stop(), consumer.stop()]);
    expect((await letters())[0]!.error).toContain('cannot be applied');
  });

  it('have their effect once though they come a thousand times', async () => {
    const service = `spec-${newUuid().slice(-6)}`;
    const subscriberId = newId('sub');
    const applied: string[] = [];
    const consumer = makeConsumer(service, {
      'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))),
    });
    const stream = eventStream(bus);
    await stream.ensure();
    const lane = laneOf(organizationId, subscriberId);
    const envelope = (n: string) => [
      {
        outboxId: newUuid(),
        events: [{ id: newId('evt'), organizationId, name: 'tag.added', data: tagAdded(subscriberId, n) }],
      },
    ];
    const again = JSON.stringify(envelope(`${service} again`));
    await Promise.all(Array.from({ length: 1000 }, () => stream.publish(`events.subscriber.${lane}`, again)));
    await stream.publish(`events.subscriber.${lane}`, JSON.stringify(envelope(`${service} last`)));
    consumer.start();
    await until('the last arrives', () => applied.includes(`${service} last`), 20_000);
    await consumer.stop();
    expect(applied.filter((name) => name === `${service} again`)).toHaveLength(1);
  });

  it('are not held up by what is no JSON, no events, or of a name that nobody knows yet', async () => {
    const good = newId('sub');
    const lane = laneOf(organizationId, good);
    const service = `spec-${newUuid().slice(-6)}`;
    const applied: string[] = [];
    const consumer = makeConsumer(service, {
      'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))),
    });
    const stream = eventStream(bus);
    await stream.ensure();
    const unknown = [
      { outboxId: newUuid(), events: [{ id: 'evt_x', organizationId, name: 'tag.exploded', data: {} }] },
    ];
    const bodies: unknown[] = [
      null,
      7,
      { events: [] },
      [null],
      [{ outboxId: 'x', events: [] }],
      [{ outboxId: newUuid() }],
      unknown,
    ];
    bodies.push([{ outboxId: newUuid(), events: [null] }]);
    for (const body of bodies) await stream.publish(`events.subscriber.${lane}`, JSON.stringify(body));
    await jetstream(bus.connection).publish(`${bus.namespace}.events.subscriber.${lane}`, '{"no json');
    const relay = makeRelay();
    [consumer, relay].forEach((runner) => runner.start());
    await write([{ subscriberId: good, n: 'after all that' }]);
    relay.wake();
    await until('the good one arrives', () => applied.includes('after all that'), 20_000);
    await until('nothing comes again', async () => (await stream.pending(durableOf(service, lane))) === 0, 20_000);
    await Promise.all([consumer.stop(), relay.stop()]);
  });

  it('wait behind a batch that takes longer than its lease, in their lane only, and none is applied twice', async () => {
    const service = 'spec-long';
    const long = newId('sub');
    const applied: string[] = [];
    let begun = false;
    let mayEnd = false;
    const handlers: EventHandlers = {
      'tag.added': async (events, { manager }) => {
        for (const { data } of events) {
          if (data.tagName === 'long 1') {
            begun = true;
            // It works all the time: the database ends transactions that do nothing.
            await until('it may end', async () => (await manager.query('select'), mayEnd), 120_000);
          }
          if (/^(long|other) /.test(data.tagName)) applied.push(data.tagName);
        }
      },
    };
    const lane = laneOf(organizationId, long);
    const relay = makeRelay();
    const consumers = [makeConsumer(service, handlers), makeConsumer(service, handlers)];
    [relay, ...consumers].forEach((runner) => runner.start());
    await write([{ subscriberId: long, n: 'long 1' }]);
    await until('the batch has begun', () => begun);
    await write([{ subscriberId: long, n: 'long 2' }]);
    relay.wake();
    await until('the lease ran out before the last look at the lanes', async () => {
      const expired = await dataSource.query<unknown[]>(
        `select from lane_lease where role = $1 and lane = $2 and until < clock_timestamp() - interval '6 s'`,
        [`consumer ${service}`, lane],
      );
      return expired.length === 1;
    });
    const others = Array.from({ length: 40 }, () => newId('sub')).filter((id) => laneOf(organizationId, id) !== lane);
    await write(others.map((subscriberId) => ({ subscriberId, n: 'other 1' })));
    relay.wake();
    await until('all other lanes go on', () => applied.length === others.length, 10_000);
    mayEnd = true;
    await until('so does its own', () => applied.includes('long 2'), 10_000);
    await Promise.all([relay, ...consumers].map((runner) => runner.stop()));
    expect(applied.slice(others.length)).toEqual(['long 1', 'long 2']);
  });

  it('come at once and in order to the one who takes a lane over', async () => {
    const stream = eventStream(bus);
    await stream.ensure();
    const lane = 99;
    for (let n = 1; n <= 6; n++) await stream.publish(`events.spec.${lane}`, String(n), newUuid());
    const read = async (count: number, acknowledge: (n: number) => boolean) => {
      await stream.takeOverConsumer('spec_take_over', `events.*.${lane}`, 60_000, 4);
      const numbers: number[] = [];
      const reading = await stream.consume<number>('spec_take_over', 4, ({ body, ack }) => {
        numbers.push(body);
        if (acknowledge(body)) ack();
      });
      await until(`${count} came`, () => numbers.length === count, 10_000);
      await reading.stop();
      return numbers;
    };
    expect(await read(6, (n) => n < 3)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await read(4, () => true)).toEqual([3, 4, 5, 6]);
  });

  it('wait in the outbox while the event store has no room, and go on by themselves', async () => {
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const { streams } = await jetstreamManager(bus.connection);
    const name = `${bus.namespace}_events`;
    const relay = makeRelay();
    relay.start();
    const open = async () =>
      (await dataSource.query<[{ n: number }]>(`select count(*)::int as n from outbox where published_at is null`))[0]
        .n;
    await streams.update(name, { max_bytes: 1, discard: DiscardPolicy.New });
    const publish = jest.spyOn(DurableStream.prototype, 'publish');
    await write([{ subscriberId: newId('sub'), n: 1 }]);
    relay.wake();
    await until('it is refused more than once', () => publish.mock.results.length > 1);
    const refusals = await Promise.allSettled(publish.mock.results.map(({ value }) => value as Promise<void>));
    expect(refusals.map(({ status }) => status)).not.toContain('fulfilled');
    expect(await open()).toBe(1);
    publish.mockRestore();
    await streams.update(name, { max_bytes: -1, discard: DiscardPolicy.Old });
    await until('it is published', async () => (await open()) === 0);
    await relay.stop();
  });

  it('are published again from the outbox when the event store was lost', async () => {
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const relay = makeRelay();
    relay.start();
    await write([{ subscriberId: newId('sub'), n: 7 }]);
    const open = async () =>
      (await dataSource.query<{ n: number }[]>(`select count(*)::int as n from outbox where published_at is null`))[0]!
        .n;
    relay.wake();
    await until('everything is published', async () => (await open()) === 0);
    await relay.stop();
    const manager = await jetstreamManager(bus.connection);
    const name = `${bus.namespace}_events`;
    await manager.streams.delete(name);
    const next = makeRelay();
    next.start();
    // How many messages there are tells nothing: what waits together travels together.
    await until(
      'it is published again',
      async () => ((await manager.streams.info(name).catch(() => null))?.state.messages ?? 0) > 0,
      20_000,
    );
    await until('nothing waits', async () => (await open()) === 0, 20_000);
    await next.stop();
    const [{ n }] = await dataSource.query<[{ n: number }]>(`select count(*)::int as n from outbox`);
    const ids = new Set<string>();
    const consumer = makeConsumer(`spec-${newUuid().slice(-6)}`, {
      'tag.added': (events) => {
        events.forEach(({ id }) => ids.add(id));
        return Promise.resolve();
      },
    });
    consumer.start();
    const [{ events }] = await dataSource.query<[{ events: number }]>(
      `select sum(jsonb_array_length(events))::int as events from outbox`,
    );
    await until(`all ${events} events of ${n} envelopes are there again`, () => ids.size === events, 20_000);
    await consumer.stop();
  });

  it('go on by themselves when the event store is lost under a running relay and consumer', async () => {
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const ids = new Set<string>();
    const relay = makeRelay();
    const consumer = makeConsumer(`spec-${newUuid().slice(-6)}`, {
      'tag.added': (events) => {
        events.forEach(({ data }) => ids.add(data.tagName));
        return Promise.resolve();
      },
    });
    relay.start();
    consumer.start();
    await write([{ subscriberId: newId('sub'), n: 9_001 }]);
    relay.wake();
    await until('the first arrives', () => ids.has('9001'));
    const { streams } = await jetstreamManager(bus.connection);
    await streams.delete(`${bus.namespace}_events`);
    await write([{ subscriberId: newId('sub'), n: 9_002 }]);
    relay.wake();
    await until('the next arrives in the store made again', () => ids.has('9002'), 20_000);
    await Promise.all([relay.stop(), consumer.stop()]);
  });

  it('are no longer read from a store that another one has replaced', async () => {
    const stream = eventStream(bus);
    await stream.ensure();
    await stream.takeOverConsumer('spec_replaced', 'events.*.98', 60_000, 4);
    const reading = await stream.consume('spec_replaced', 4, () => undefined);
    bus.broadcast('stream.events', { created: new Date().toISOString() });
    await reading.closed;
  });

  it('know their store again after it was updated, and after it was made by two at once', async () => {
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const { streams } = await jetstreamManager(bus.connection);
    await streams.delete(`${bus.namespace}_events`).catch(() => undefined);
    const both = await Promise.all([eventStream(bus).ensure(), eventStream(bus).ensure()]);
    expect(new Set([...both, await eventStream(bus).ensure()]).size).toBe(1);
  });

  it('are published again by a running relay when somebody else made the lost store again', async () => {
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const relay = makeRelay();
    relay.start();
    await write([{ subscriberId: newId('sub'), n: 1 }]);
    relay.wake();
    const open = async () =>
      (await dataSource.query<[{ n: number }]>(`select count(*)::int as n from outbox where published_at is null`))[0]
        .n;
    await until('everything is published', async () => (await open()) === 0);
    const { streams } = await jetstreamManager(bus.connection);
    const name = `${bus.namespace}_events`;
    await streams.delete(name);
    await eventStream(bus).ensure();
    jest.spyOn(bus, 'disconnects', 'get').mockReturnValue(bus.disconnects + 1);
    relay.wake();
    const [{ messages }] = await dataSource.query<[{ messages: number }]>(
      `select count(*)::int as messages from outbox`,
    );
    const kept = async () => {
      const { state } = await streams.info(name);
      return state.messages > 0 && (await open()) === 0;
    };
    expect(messages).toBeGreaterThan(0);
    await until('all of it is in the new store', kept);
    await relay.stop();
  });
});
