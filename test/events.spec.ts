import { describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { connectBus, eventStream } from '#bus';
import type { PullReading } from '#bus';
import { newId, newUuid } from '#database';
import { laneOf, OutboxRepository } from '#events';
import type { EventHandlers } from '#events';
import { until } from '#testing';
import { EventFixture } from './harness/event-fixture.js';
import { useFixture } from './harness/use-fixture.js';

describe('events between services', () => {
  const world = useFixture(() => EventFixture.start());

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
    const consumer = () => world.makeConsumer('spec-order', handlers, { committed: () => commits++ });
    const relays = [world.makeRelay(), world.makeRelay()];
    const runners = [...relays, consumer(), consumer()];
    runners.forEach((runner) => runner.start());
    for (let n = 0; n < 25; n++) await world.write(subscribers.map((subscriberId) => ({ subscriberId, n })));
    relays.forEach((relay) => relay.wake());
    await until(
      'all 1,000 events arrive',
      () => [...seen.values()].reduce((sum, { length }) => sum + length, 0) >= 1000,
    );
    await Promise.all(runners.map((runner) => runner.stop()));
    // Loops that rest look again after each.
    expect(commits).toBeGreaterThan(0);
    const inOrder = Array.from({ length: 25 }, (_, n) => n);
    expect([...seen.values()].every((numbers) => JSON.stringify(numbers) === JSON.stringify(inOrder))).toBe(true);
  });

  it('that change nothing for a service are read, and leave nothing behind', async () => {
    const applied: string[] = [];
    const consumer = world.makeConsumer(
      'spec-concern',
      { 'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))) },
      { concernedBy: ({ data }) => (data as { tagName: string }).tagName.startsWith('ours') },
    );
    const relay = world.makeRelay();
    [relay, consumer].forEach((runner) => runner.start());
    const subscriberId = newId('sub');
    const seen = async (): Promise<number> =>
      (await world.dataSource.query(`select count(*)::int as n from inbox where consumer = 'spec-concern'`))[0].n;
    const lane = laneOf(world.organizationId, subscriberId);
    for (const n of ['theirs', 'nobody’s']) {
      await world.write([{ subscriberId, n }]);
      relay.wake();
    }
    await until('both are published and read', async () => {
      const { envelopes } = await new OutboxRepository(world.dataSource.manager).countUnpublished();
      // Until the lane is claimed, it has no reader.
      return envelopes === 0 && (await world.pending('spec-concern', lane)) === 0;
    });
    expect([await seen(), applied]).toEqual([0, []]);
    await world.write([
      { subscriberId, n: 'theirs too' },
      { subscriberId, n: 'ours' },
    ]);
    relay.wake();
    await until('ours is applied', () => applied.includes('ours'));
    expect([await seen(), applied]).toEqual([1, ['theirs too', 'ours']]);
    await Promise.all([relay, consumer].map((runner) => runner.stop()));
  });

  it('that cannot be applied are put aside with their error, and delay no other event', async () => {
    const bad = newId('sub');
    const good = newId('sub');
    const applied: string[] = [];
    const consumer = world.makeConsumer('spec-poison', {
      'tag.added': (events) => {
        for (const { data } of events) {
          if (data.subscriberId === bad) throw new Error('cannot be applied');
          if (data.subscriberId === good) applied.push(data.tagName);
        }
        return Promise.resolve();
      },
    });
    const relay = world.makeRelay();
    relay.start();
    consumer.start();
    await world.write(
      [1, 2, 3].flatMap((n) => [
        { subscriberId: bad, n },
        { subscriberId: good, n },
      ]),
    );
    relay.wake();
    await until('good events arrive', () => applied.length >= 3);
    const letters = () =>
      world.dataSource.query<{ error: string }[]>(`select error from dead_letter where consumer = 'spec-poison'`);
    await until('bad ones are put aside', async () => (await letters()).length === 3);
    await Promise.all([relay.stop(), consumer.stop()]);
    expect((await letters())[0]!.error).toContain('cannot be applied');
  });

  it('have their effect once though they come a thousand times', async () => {
    const service = `spec-${newUuid().slice(-6)}`;
    const subscriberId = newId('sub');
    const applied: string[] = [];
    const consumer = world.makeConsumer(service, {
      'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))),
    });
    const stream = eventStream(world.bus);
    await stream.ensure();
    const lane = laneOf(world.organizationId, subscriberId);
    const envelope = (n: string) => [
      {
        outboxId: newUuid(),
        events: [
          {
            id: newId('evt'),
            organizationId: world.organizationId,
            name: 'tag.added',
            data: world.tagAdded(subscriberId, n),
          },
        ],
      },
    ];
    const again = JSON.stringify(envelope(`${service} again`));
    await Promise.all(Array.from({ length: 1000 }, () => stream.publish(`events.subscriber.${lane}`, again)));
    await stream.publish(`events.subscriber.${lane}`, JSON.stringify(envelope(`${service} last`)));
    consumer.start();
    await until('the last arrives', () => applied.includes(`${service} last`));
    await consumer.stop();
    expect(applied.filter((name) => name === `${service} again`)).toHaveLength(1);
  });

  it('are not delayed by invalid JSON, invalid events, or an unknown event name', async () => {
    const good = newId('sub');
    const lane = laneOf(world.organizationId, good);
    const service = `spec-${newUuid().slice(-6)}`;
    const applied: string[] = [];
    const consumer = world.makeConsumer(service, {
      'tag.added': (events) => Promise.resolve(void applied.push(...events.map(({ data }) => data.tagName))),
    });
    const stream = eventStream(world.bus);
    await stream.ensure();
    const unknown = [
      {
        outboxId: newUuid(),
        events: [{ id: 'evt_x', organizationId: world.organizationId, name: 'tag.exploded', data: {} }],
      },
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
    await jetstream(world.bus.connection).publish(`${world.bus.namespace}.events.subscriber.${lane}`, '{"no json');
    const relay = world.makeRelay();
    [consumer, relay].forEach((runner) => runner.start());
    await world.write([{ subscriberId: good, n: 'after all that' }]);
    relay.wake();
    await until('the good one arrives', () => applied.includes('after all that'));
    await until('nothing comes again', async () => (await world.pending(service, lane)) === 0);
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
    const lane = laneOf(world.organizationId, long);
    const relay = world.makeRelay();
    const consumers = [world.makeConsumer(service, handlers), world.makeConsumer(service, handlers)];
    [relay, ...consumers].forEach((runner) => runner.start());
    await world.write([{ subscriberId: long, n: 'long 1' }]);
    await until('the batch has begun', () => begun);
    await world.write([{ subscriberId: long, n: 'long 2' }]);
    relay.wake();
    await until('the lease ran out before the last look at the lanes', async () => {
      const expired = await world.dataSource.query<unknown[]>(
        `select from lane_lease where role = $1 and lane = $2 and until < clock_timestamp() - interval '6 s'`,
        [`consumer ${service}`, lane],
      );
      return expired.length === 1;
    });
    const others = Array.from({ length: 40 }, () => newId('sub')).filter(
      (id) => laneOf(world.organizationId, id) !== lane,
    );
    await world.write(others.map((subscriberId) => ({ subscriberId, n: 'other 1' })));
    relay.wake();
    await until('all other lanes go on', () => applied.length === others.length);
    mayEnd = true;
    await until('so does its own', () => applied.includes('long 2'));
    await Promise.all([relay, ...consumers].map((runner) => runner.stop()));
    expect(applied.slice(others.length)).toEqual(['long 1', 'long 2']);
  });

  it('are read by several readings of which one watches the connection', async () => {
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace: world.bus.namespace, name: 'spec' });
    const stream = eventStream(bus);
    await stream.ensure();
    const readings: PullReading[] = [];
    for (const lane of [96, 97, 98]) {
      const durable = `spec_9_${lane}`;
      await stream.addConsumer({ durable, filter: `events.*.${lane}`, ackWaitMs: 60_000, maxAckPending: 10 }, 0);
      readings.push(await stream.pull(durable, 4_000_000, () => undefined));
    }
    const received = () => bus.connection.stats().inMsgs;
    const [before, since] = [received(), performance.now()];
    await until('there were three heartbeats', () => received() >= before + 3);
    // The server sends one a second to the reading that watches; were all three to watch, they would come at once.
    expect(performance.now() - since).toBeGreaterThan(2_000);
    for (const reading of readings) await reading.stop();
    await bus.close();
  });

  it('come at once and in order from a position on, whatever another consumer has acknowledged', async () => {
    const stream = eventStream(world.bus);
    await stream.ensure();
    const lane = 99;
    for (let n = 1; n <= 6; n++) await stream.publish(`events.spec.${lane}`, String(n), newUuid());
    const read = async (durable: string, after: number, count: number) => {
      const settings = { durable, filter: `events.*.${lane}`, ackWaitMs: 60_000, maxAckPending: 10 };
      await stream.addConsumer(settings, after);
      const messages: { n: number; sequence: number }[] = [];
      const reading = await stream.pull(durable, 4_000_000, (message) =>
        messages.push({ n: message.json<number>(), sequence: message.sequence }),
      );
      await until(`${count} came`, () => messages.length === count);
      await reading.stop();
      return messages;
    };
    const first = await read('spec_9_1', 0, 6);
    expect(first.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
    const next = await read('spec_9_2', first[2]!.sequence, 3);
    expect(next.map(({ n }) => n)).toEqual([4, 5, 6]);
    await stream.deleteConsumers((durable) => durable === 'spec_9_1');
    expect([await stream.acknowledgedBy('spec_9_1'), await stream.acknowledgedBy('spec_9_2')]).toEqual([null, 0]);
  });
});
