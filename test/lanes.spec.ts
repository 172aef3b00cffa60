import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { DurableStream, eventStream } from '#bus';
import { newId } from '#database';
import { laneCount, laneOf, LaneLeaseRepository } from '#events';
import type { EventConsumer, EventHandlers, OutboxPublisher } from '#events';
import { until } from '#testing';
import { EventFixture } from './harness/event-fixture.js';
import { useFixture } from './harness/use-fixture.js';

interface Lease {
  lane: number;
  owner: string;
  fence: string;
}

describe('the lanes of several replicas', () => {
  const world = useFixture(() => EventFixture.start());
  afterEach(() => void jest.restoreAllMocks());

  const leases = (role: string) =>
    world.dataSource.query<Lease[]>(
      `select lane, owner, fence::text from lane_lease where role = $1 and until > clock_timestamp() order by lane`,
      [role],
    );
  const shares = async (role: string): Promise<number[]> => {
    const counts = new Map<string, number>();
    for (const { owner } of await leases(role)) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return [...counts.values()].sort((one, other) => one - other);
  };

  it('are shared by those that live, while each event is applied once and in order and no lane that stays is stopped', async () => {
    const service = 'spec-shares';
    const role = `consumer ${service}`;
    const applied = new Map<string, number[]>();
    const handlers: EventHandlers = {
      'tag.added': (events) => {
        for (const { data } of events)
          applied.set(data.subscriberId, [...(applied.get(data.subscriberId) ?? []), Number(data.tagName)]);
        return Promise.resolve();
      },
    };
    const subscribers = Array.from({ length: 40 }, () => newId('sub'));
    let [written, isWriting] = [0, true];
    const replica = (): [OutboxPublisher, EventConsumer] => {
      const made: [OutboxPublisher, EventConsumer] = [world.makeRelay(), world.makeConsumer(service, handlers)];
      made.forEach((one) => one.start());
      return made;
    };
    const first = replica();
    const flow = (async () => {
      for (; isWriting; written++) {
        const n = written;
        await world.write(subscribers.map((subscriberId) => ({ subscriberId, n })));
        first[0].wake();
        await until('some of it is applied', () => (applied.get(subscribers[0]!)?.length ?? 0) > n - 20, 30_000);
      }
    })();
    await until('the first has all lanes', async () => (await leases(role)).length === laneCount);
    const before = await leases(role);
    const others = [replica(), replica(), replica()];
    await until('four share them', async () => (await shares(role)).join() === '2,2,2,2', 30_000);
    await until('four share them', async () => (await shares('relay')).join() === '2,2,2,2', 30_000);
    const owner = before[0]!.owner;
    const kept = (await leases(role)).filter((lease) => lease.owner === owner);
    // A lane that is handed over gets another fence, one that stays does not.
    expect(before).toEqual(expect.arrayContaining(kept));
    await Promise.all(others.flat().map((one) => one.stop()));
    await until('the first has all again', async () => (await shares(role)).join() === '8', 30_000);
    expect(await leases(role)).toEqual(expect.arrayContaining(kept));
    isWriting = false;
    await flow;
    await until('all is applied', () => subscribers.every((id) => applied.get(id)?.length === written), 30_000);
    await Promise.all(first.map((one) => one.stop()));
    expect(await world.dataSource.query(`select * from event_gap`)).toEqual([]);
    const inOrder = Array.from({ length: written }, (_, n) => n);
    for (const id of subscribers) expect(applied.get(id)).toEqual(inOrder);
    expect(new Set(subscribers.map((id) => laneOf(world.organizationId, id))).size).toBe(laneCount);
  });

  it.each([
    ['consumer spec-leaves', () => world.makeConsumer('spec-leaves', {})],
    ['relay', () => world.makeRelay()],
  ] as const)('are taken by another within two seconds when their process leaves: %s', async (role, make) => {
    const [leaving, staying] = [make(), make()];
    leaving.start();
    await until('the first has all lanes', async () => (await leases(role)).length === laneCount);
    staying.start();
    // The second has just renewed its share then, which it does every 5 s.
    await until('both share them', async () => (await shares(role)).join() === '4,4', 30_000);
    await leaving.stop();
    await until('the second has all', async () => (await shares(role)).join() === '8', 2_000);
    await staying.stop();
  });

  it('are read again while older consumers cannot be deleted', async () => {
    const stream = eventStream(world.bus);
    const deleteNow = stream.deleteConsumers.bind(stream);
    jest.spyOn(DurableStream.prototype, 'deleteConsumers').mockReturnValue(new Promise(() => undefined));
    const subscribers = Array.from({ length: 40 }, () => newId('sub'));
    let applied = 0;
    const handlers: EventHandlers = {
      'tag.added': (events) => {
        applied += events.filter(({ data }) => subscribers.includes(data.subscriberId)).length;
        return Promise.resolve();
      },
    };
    const [publisher, consumer] = [world.makeRelay(), world.makeConsumer('spec-hung', handlers)];
    for (const one of [publisher, consumer]) one.start();
    for (let n = 0; n < 2; n++) {
      await world.write(subscribers.map((subscriberId) => ({ subscriberId, n })));
      publisher.wake();
      await until('all is applied', () => applied === (n + 1) * subscribers.length, 10_000);
      await deleteNow((durable) => durable.startsWith('spec-hung'));
    }
    await Promise.all([publisher.stop(), consumer.stop()]);
  });

  it('stay with their publisher when the clock of its machine is ahead for a moment', async () => {
    const rightNow = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => rightNow() + 600_000);
    const publisher = world.makeRelay();
    publisher.start();
    await until('it has all lanes', async () => (await leases('relay')).length === laneCount);
    clock.mockRestore();
    const fences = (await leases('relay')).map(({ fence }) => fence);
    const ends = async () =>
      await world.dataSource.query<{ until: Date }[]>(
        `select max(until) as until from lane_lease where role = 'relay'`,
      );
    const [before] = await ends();
    await until('it renews them', async () => (await ends())[0]!.until > before!.until, 10_000);
    expect((await leases('relay')).map(({ fence }) => fence)).toEqual(fences);
    await publisher.stop();
  });

  it('are taken up to the share, and the surplus is released by one that has more', async () => {
    const repository = new LaneLeaseRepository(world.dataSource.manager);
    const owners = Array.from({ length: 3 }, () => crypto.randomUUID());
    const claim = (at: number) => repository.claim('spec role', owners[at]!, 15);
    expect(await claim(0)).toHaveLength(8);
    expect(await claim(1)).toEqual([]);
    const renewed = await claim(0);
    const surplus = renewed.filter(({ isSurplus }) => isSurplus);
    expect([renewed.length, surplus.length]).toEqual([8, 4]);
    expect(await claim(2)).toEqual([]);
    for (const { lane } of surplus) await repository.release('spec role', owners[0]!, lane);
    expect((await claim(1)).map(({ isSurplus }) => isSurplus)).toEqual([false, false, false]);
    expect(await claim(2)).toHaveLength(1);
    // Three live: the first has four, one too many.
    expect((await claim(0)).filter(({ isSurplus }) => isSurplus)).toHaveLength(1);
  });

  it('count a process of an older program, which has no row in replica, by the lanes it leases', async () => {
    const repository = new LaneLeaseRepository(world.dataSource.manager);
    const [older, newer] = [crypto.randomUUID(), crypto.randomUUID()];
    await world.dataSource.query(
      `insert into lane_lease (role, lane, owner, fence, until)
       select 'spec older', n, case when n < 2 then $1::uuid else $2::uuid end, 1,
         clock_timestamp() + make_interval(secs => case when n < 2 then 60 else -1 end) from generate_series(0, 7) n`,
      [older, crypto.randomUUID()],
    );
    expect(await repository.claim('spec older', newer, 15)).toHaveLength(4);
  });
});
