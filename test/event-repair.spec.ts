import { describe, expect, it } from '@jest/globals';
import { newId } from '#database';
import { EventGapRepository, laneCount, laneOf, OutboxReaderRepository, OutboxRepository } from '#events';
import type { MissedBatch } from '#events';
import { createMetrics } from '#observability';
import { observeEvents } from '#service-host';
import type { ServicePlan } from '#service-host';
import { until } from '#testing';
import { EventFixture } from './harness/event-fixture.js';
import { useFixture } from './harness/use-fixture.js';

/** Makes the partitions of the outbox of some days ago, as the service did then. */
async function makePartitions({ dataSource }: EventFixture, days: number): Promise<void> {
  const step = `select maintain_partition('outbox', now() - make_interval(days => $1)) as done`;
  while ((await dataSource.query<[{ done: string | null }]>(step, [days]))[0].done !== null);
}

const everything = { after: null, from: null, bytesMax: 1_000_000 };

describe('batches that a consumer missed', () => {
  const world = useFixture(() => EventFixture.start());
  const outbox = () => new OutboxRepository(world.dataSource.manager);
  const names = (batches: readonly MissedBatch[]) =>
    batches.flatMap(({ events }) => events.map((event) => (event.data as { tagName: string }).tagName));

  /** Publishes one message for each number. @returns the lane of all */
  async function publish(numbers: readonly number[], text = ''): Promise<number> {
    const subscriberId = newId('sub');
    const relay = world.makeRelay();
    relay.start();
    for (const n of numbers) {
      await world.write([{ subscriberId, n: `${n}${text}` }]);
      relay.wake();
      await until(`${n} is published`, async () => (await world.waiting()) === 0);
    }
    await relay.stop();
    return laneOf(world.organizationId, subscriberId);
  }

  it('are found by the numbers of their messages, in parts of a size, and from an instant on', async () => {
    const lane = await publish([1, 2, 3, 4, 5]);
    const missed = [{ lane, afterNumber: 1, beforeNumber: 5 }];
    const { batches, next } = await outbox().listMissed(missed, everything);
    expect([names(batches), batches.map(({ number }) => number), next]).toEqual([['2', '3', '4'], [2, 3, 4], null]);
    expect(batches.every((batch) => batch.lane === lane)).toBe(true);
    const parts: string[][] = [];
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const part = await outbox().listMissed(missed, { ...everything, after, bytesMax: 1 });
      parts.push(names(part.batches));
      after = part.next;
    }
    expect(parts).toEqual([['2'], ['3'], ['4']]);
    const later = await outbox().listMissed(missed, { ...everything, from: new Date(Date.now() + 1000) });
    expect(later).toEqual({ batches: [], next: null });
    const otherLane = [{ lane: (lane + 1) % laneCount, afterNumber: 0, beforeNumber: 100 }];
    expect(await outbox().listMissed(otherLane, everything)).toEqual({ batches: [], next: null });
  });

  it('are not published again when the event store was lost, once no inbox remembers them', async () => {
    const { manager } = world.dataSource;
    await makePartitions(world, 9);
    await manager.query(
      `insert into outbox (outbox_id, lane, organization_id, subject, events, published_at)
       select uuid_floor(now() - interval '200 hours'), 0, gen_random_uuid(), 'subscriber', '[]', now()`,
    );
    await outbox().rebuildIfLost('events', 'first');
    expect(await outbox().rebuildIfLost('events', 'second')).toBe(true);
    const [{ old, young }] = await manager.query<[{ old: number; young: number }]>(
      `select count(*) filter (where outbox_id < uuid_floor(now() - interval '72 hours'))::int as old, count(*)::int as young
       from outbox where published_at is null`,
    );
    expect(old).toBe(0);
    expect(young).toBeGreaterThan(0);
  });
});

describe('the outbox', () => {
  const world = useFixture(() => EventFixture.start());
  const name = (days: number) =>
    `outbox_${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`;

  it('keeps what a service has not applied, for 30 days at most', async () => {
    const { manager } = world.dataSource;
    const readers = new OutboxReaderRepository(manager);
    const days = [40, 5];
    const fill = async () => {
      for (const ago of days) {
        await makePartitions(world, ago);
        await manager.query(
          `insert into outbox (outbox_id, lane, organization_id, subject, events, published_at, number)
           select uuid_floor(now() - interval '${ago} days'), 0, gen_random_uuid(), 'subscriber', '[]', now(), 1 on conflict do nothing`,
        );
      }
    };
    const stands = async () => {
      await manager.query('select maintain_partitions()');
      const found = await manager.query<{ stands: boolean }[]>(
        `select to_regclass(name) is not null as stands from unnest($1::text[]) with ordinality n(name, place) order by place`,
        [days.map(name)],
      );
      return found.map((one) => one.stands);
    };
    /** As Prometheus reads it. */
    const heldSeconds = async () => {
      const metrics = createMetrics('spec', { processMetrics: false });
      const { dataSource, bus } = world;
      observeEvents({ service: 'subscriber' } as ServicePlan, { dataSource, bus, metrics } as never);
      const text = await metrics.registry.metrics();
      return Number(/^tidings_outbox_held_seconds\{[^}]*consumer="spec"[^}]*\} (.+)$/m.exec(text)?.[1]);
    };
    await readers.insert(['spec']);
    await manager.query(
      `update outbox_reader set applied_until = now() - interval '50 days', noted_at = now() - interval '2 hours', numbers = '{"0": 7}'`,
    );
    await fill();
    expect(await stands()).toEqual([false, true]);
    expect(await readers.listBehind(3)).toMatchObject([{ consumer: 'spec', since: expect.any(Date) }]);
    expect(Math.round((await heldSeconds()) / 86_400)).toBe(50);
    const published = await readers.getPublished();
    await readers.updateApplied('spec', [{ lane: 0, number: 6 }], published);
    expect(await stands()).toEqual([false, true]);
    await readers.updateApplied('spec', [{ lane: 0, number: 7 }], published);
    expect(await readers.listBehind(3)).toEqual([]);
    expect(Math.round((await heldSeconds()) / 3_600)).toBe(2);
    expect(await stands()).toEqual([false, false]);
  });

  it('says until when everything is in messages: not later than the oldest batch that waits', async () => {
    const readers = new OutboxReaderRepository(world.dataSource.manager);
    const { at } = await readers.getPublished();
    expect(Math.abs(Date.now() - 3_600_000 - at.getTime())).toBeLessThan(60_000);
    await world.dataSource.query(
      `insert into outbox (outbox_id, lane, organization_id, subject, events)
       select uuid_floor(now() - interval '20 hours'), 0, gen_random_uuid(), 'subscriber', '[]'`,
    );
    const waiting = await readers.getPublished();
    expect(Math.abs(Date.now() - 72_000_000 - waiting.at.getTime())).toBeLessThan(60_000);
  });
});

describe('gaps', () => {
  const world = useFixture(() => EventFixture.start());

  it('stay open while messages are missing, unless they are given up', async () => {
    const gaps = new EventGapRepository(world.dataSource.manager);
    const gap = { consumer: 'spec', source: 'delivery', lane: 3, afterNumber: 4, beforeNumber: 9 };
    await gaps.insert(gap);
    expect(await gaps.listOpenOf('spec', 'delivery')).toEqual([{ lane: 3, afterNumber: 4, beforeNumber: 9 }]);
    expect(await gaps.listOpenOf('spec', 'workflow')).toEqual([]);
    await gaps.updateRepaired(gap, { missing: 2, isResolved: false });
    expect(await gaps.list(10)).toEqual([{ ...gap, detectedAt: expect.any(Date), resolvedAt: null, missing: 2 }]);
    await gaps.updateRepaired(gap, { missing: 1, isResolved: true });
    expect(await gaps.list(10)).toMatchObject([{ resolvedAt: expect.any(Date), missing: 1 }]);
    await gaps.updateRepaired(gap, { missing: 0, isResolved: true });
    expect(await gaps.list(10)).toMatchObject([{ missing: 1 }]);
    expect(await gaps.countOpen()).toBe(0);
  });
});
