import { describe, expect, it, jest } from '@jest/globals';
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream';
import { DurableStream, eventStream } from '#bus';
import { newId, newUuid } from '#database';
import { OutboxRepository } from '#events';
import { until } from '#testing';
import { EventFixture } from './harness/event-fixture.js';
import { useFixture } from './harness/use-fixture.js';

describe('events whose store is full or lost', () => {
  const world = useFixture(() => EventFixture.start());

  it('wait in the outbox while the event store has no room, and go on by themselves', async () => {
    const { streams } = await jetstreamManager(world.bus.connection);
    const name = `${world.bus.namespace}_events`;
    await eventStream(world.bus).ensure();
    const relay = world.makeRelay();
    relay.start();
    await streams.update(name, { max_bytes: 1, discard: DiscardPolicy.New });
    const publish = jest.spyOn(DurableStream.prototype, 'publish');
    await world.write([{ subscriberId: newId('sub'), n: 1 }]);
    relay.wake();
    await until('it is refused more than once', () => publish.mock.results.length > 1);
    const refusals = await Promise.allSettled(publish.mock.results.map(({ value }) => value as Promise<void>));
    expect(refusals.map(({ status }) => status)).not.toContain('fulfilled');
    expect(await world.waiting()).toBe(1);
    publish.mockRestore();
    await streams.update(name, { max_bytes: -1, discard: DiscardPolicy.Old });
    await until('it is published', async () => (await world.waiting()) === 0);
    await relay.stop();
  });

  it('are published again from the outbox when the event store was lost', async () => {
    const relay = world.makeRelay();
    relay.start();
    await world.write([{ subscriberId: newId('sub'), n: 7 }]);
    relay.wake();
    await until('everything is published', async () => (await world.waiting()) === 0);
    await relay.stop();
    const manager = await jetstreamManager(world.bus.connection);
    const name = `${world.bus.namespace}_events`;
    await manager.streams.delete(name);
    const next = world.makeRelay();
    next.start();
    // The number of messages is irrelevant: waiting events are published together.
    await until(
      'it is published again',
      async () => ((await manager.streams.info(name).catch(() => null))?.state.messages ?? 0) > 0,
    );
    await until('nothing waits', async () => (await world.waiting()) === 0);
    await next.stop();
    const [{ n }] = await world.dataSource.query<[{ n: number }]>(`select count(*)::int as n from outbox`);
    const ids = new Set<string>();
    const consumer = world.makeConsumer(`spec-${newUuid().slice(-6)}`, {
      'tag.added': (events) => {
        events.forEach(({ id }) => ids.add(id));
        return Promise.resolve();
      },
    });
    consumer.start();
    const [{ events }] = await world.dataSource.query<[{ events: number }]>(
      `select sum(jsonb_array_length(events))::int as events from outbox`,
    );
    await until(`all ${events} events of ${n} envelopes are there again`, () => ids.size === events);
    await consumer.stop();
  });

  it('are marked for publishing again in steps, none of which takes long, however many there are', async () => {
    const { manager } = world.dataSource;
    const many = 7_000;
    await manager.query(
      `insert into outbox (outbox_id, lane, organization_id, subject, events, published_at)
       select (left(uuid_floor(clock_timestamp())::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, 9, gen_random_uuid(), 'spec', '[]', now()
       from generate_series(1, $1) n`,
      [many],
    );
    const outbox = new OutboxRepository(manager);
    expect(await outbox.rebuildIfLost('events', 'another birth')).toBe(true);
    // Each statement is a transaction of its own, which its rows name.
    const steps = await manager.query<{ n: number }[]>(
      `select count(*)::int as n from outbox where lane = 9 and published_at is null group by xmin::text`,
    );
    expect(steps.reduce((sum, { n }) => sum + n, 0)).toBe(many);
    expect(Math.max(...steps.map(({ n }) => n))).toBeLessThan(many / 2);
    expect(await outbox.rebuildIfLost('events', 'another birth')).toBe(false);
    await manager.query('delete from outbox where lane = 9');
  });

  it('go on by themselves when the event store is lost under a running relay and consumer', async () => {
    const ids = new Set<string>();
    const relay = world.makeRelay();
    const consumer = world.makeConsumer(`spec-${newUuid().slice(-6)}`, {
      'tag.added': (events) => {
        events.forEach(({ data }) => ids.add(data.tagName));
        return Promise.resolve();
      },
    });
    relay.start();
    consumer.start();
    await world.write([{ subscriberId: newId('sub'), n: 9_001 }]);
    relay.wake();
    await until('the first arrives', () => ids.has('9001'));
    const { streams } = await jetstreamManager(world.bus.connection);
    await streams.delete(`${world.bus.namespace}_events`);
    await world.write([{ subscriberId: newId('sub'), n: 9_002 }]);
    relay.wake();
    await until('the next arrives in the store made again', () => ids.has('9002'));
    await Promise.all([relay.stop(), consumer.stop()]);
  });

  it('are no longer read from a store that another one has replaced', async () => {
    const stream = eventStream(world.bus);
    await stream.ensure();
    await stream.ensureConsumer('spec_replaced', 'events.*.98', 60_000, 4);
    const reading = await stream.consume('spec_replaced', 4, () => undefined);
    world.bus.broadcast('stream.events', { created: new Date().toISOString() });
    await reading.closed;
  });

  it('are asked for again within 4 s where their store forgot that it was asked', async () => {
    const stream = eventStream(world.bus);
    await stream.ensure();
    await stream.ensureConsumer('spec_heartbeat', 'events.*.97', 60_000, 4);
    const questions = world.bus.connection.subscribe('$JS.API.CONSUMER.MSG.NEXT.*.spec_heartbeat', { max: 1 });
    const reading = await stream.consume('spec_heartbeat', 4, () => undefined);
    // The client sends another pull request when two heartbeats are missing.
    for await (const question of questions)
      expect(question.json()).toMatchObject({ idle_heartbeat: 1e9, expires: 3e9 });
    await reading.stop();
  });

  it('find their store again after an update, and after two processes created it at once', async () => {
    const { streams } = await jetstreamManager(world.bus.connection);
    await streams.delete(`${world.bus.namespace}_events`).catch(() => undefined);
    const both = await Promise.all([eventStream(world.bus).ensure(), eventStream(world.bus).ensure()]);
    expect(new Set([...both, await eventStream(world.bus).ensure()]).size).toBe(1);
  });

  it('are published again at once when the connection was lost before the acknowledgement', async () => {
    const relay = world.makeRelay();
    relay.start();
    const publish = jest.spyOn(DurableStream.prototype, 'publish').mockReturnValueOnce(new Promise(() => undefined));
    await world.write([{ subscriberId: newId('sub'), n: 1 }]);
    relay.wake();
    await until('it waits for the acknowledgement', () => publish.mock.calls.length > 0);
    await world.bus.connection.reconnect();
    await until('it is published', async () => (await world.waiting()) === 0, 4_000);
    publish.mockRestore();
    await relay.stop();
  });

  it('are published again by a running publisher when another process recreated the lost store', async () => {
    const relay = world.makeRelay();
    relay.start();
    await world.write([{ subscriberId: newId('sub'), n: 1 }]);
    relay.wake();
    await until('everything is published', async () => (await world.waiting()) === 0);
    const { streams } = await jetstreamManager(world.bus.connection);
    const name = `${world.bus.namespace}_events`;
    await streams.delete(name);
    await eventStream(world.bus).ensure();
    jest.spyOn(world.bus, 'disconnects', 'get').mockReturnValue(world.bus.disconnects + 1);
    relay.wake();
    const [{ messages }] = await world.dataSource.query<[{ messages: number }]>(
      `select count(*)::int as messages from outbox`,
    );
    const kept = async () => {
      const { state } = await streams.info(name);
      return state.messages > 0 && (await world.waiting()) === 0;
    };
    expect(messages).toBeGreaterThan(0);
    await until('all of it is in the new store', kept);
    await relay.stop();
  });
});
