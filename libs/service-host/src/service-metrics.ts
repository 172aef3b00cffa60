import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { eventStream } from '#bus';
import type { Bus } from '#bus';
import {
  DeadLetterRepository,
  durableOf,
  EventGapRepository,
  LaneLeaseRepository,
  OutboxReaderRepository,
  OutboxRepository,
} from '#events';
import type { EventConsumer, OutboxPublisher } from '#events';
import { observedGauges } from '#observability';
import type { ServiceDependencies, ServicePlan } from './service-plan.js';

export function observeEvents(
  plan: ServicePlan,
  { dataSource, bus, metrics }: ServiceDependencies & { bus: Bus },
): void {
  const outbox = new OutboxRepository(dataSource.manager);
  const readers = new OutboxReaderRepository(dataSource.manager);
  const deadLetters = new DeadLetterRepository(dataSource.manager);
  const gaps = new EventGapRepository(dataSource.manager);
  observedGauges(
    metrics.registry,
    {
      tidings_outbox_pending: 'Event batches not yet published',
      tidings_outbox_oldest_seconds: 'Age of the oldest unpublished event batch',
      tidings_outbox_held_seconds: {
        help: 'Age of the oldest event that a consumer has not confirmed, for which the outbox is kept',
        label: 'consumer',
      },
      tidings_event_gaps: 'Gaps in the events of a source that no operator has resolved',
      tidings_dead_letters: 'Events in dead_letter that were not replayed',
    },
    async () => {
      const { envelopes, oldestSeconds } = await outbox.countUnpublished();
      return {
        tidings_outbox_pending: envelopes,
        tidings_outbox_oldest_seconds: oldestSeconds,
        tidings_outbox_held_seconds: new Map(
          (await readers.listBehind(0)).map(({ consumer, seconds }) => [consumer, seconds]),
        ),
        tidings_event_gaps: await gaps.countOpen(),
        tidings_dead_letters: await deadLetters.countOpen(),
      };
    },
  );
  if (!plan.eventHandlers) return;
  const stream = eventStream(bus, plan.config.NATS_REPLICAS);
  observedGauges(
    metrics.registry,
    { tidings_events_pending: { help: 'Event batches not yet applied by this service', label: 'lane' } },
    async () => {
      const lanes = await new LaneLeaseRepository(dataSource.manager).list(`consumer ${plan.service}`);
      const waiting = await Promise.all(lanes.map((lane) => stream.pending(durableOf(plan.service, lane))));
      return { tidings_events_pending: new Map(waiting.map((messages, at) => [String(lanes[at]!.lane), messages])) };
    },
  );
}

export function observePublisher(registry: Registry, publisher: OutboxPublisher): void {
  observedGauges(
    registry,
    { tidings_outbox_refused: 'Whether the event stream is full, so that events wait: 1 or 0' },
    () => Promise.resolve({ tidings_outbox_refused: publisher.isRefused ? 1 : 0 }),
  );
}

export function observeReading(registry: Registry, consumer: EventConsumer): void {
  observedGauges(
    registry,
    { tidings_events_oldest_seconds: { help: 'Age of the oldest event read and not yet applied', label: 'lane' } },
    () => Promise.resolve({ tidings_events_oldest_seconds: consumer.oldestSeconds(Date.now()) }),
  );
}

export function observeClockSkews(registry: Registry, { skews }: Pick<Bus, 'skews'>): void {
  observedGauges(
    registry,
    { tidings_clock_skew_seconds: { help: 'Seconds by which the clock of a peer is ahead', label: 'peer' } },
    () =>
      Promise.resolve({
        tidings_clock_skew_seconds: new Map(skews.list().map(({ service, skewMs }) => [service, skewMs / 1000])),
      }),
  );
}

export function observeDatabase(registry: Registry, { driver }: DataSource): void {
  const pool = (driver as PostgresDriver).master as Pool;
  observedGauges(
    registry,
    {
      tidings_database_connections: { help: 'Connections to the database', label: 'state' },
      tidings_database_waiters: 'Statements and transactions that wait for a connection',
    },
    () =>
      Promise.resolve({
        tidings_database_connections: new Map([
          ['busy', pool.totalCount - pool.idleCount],
          ['idle', pool.idleCount],
        ]),
        tidings_database_waiters: pool.waitingCount,
      }),
  );
}

/** Publishes the size of a cache that is bounded by it. @param name what it holds; one cache a process */
export function observeCache(
  registry: Registry,
  name: string,
  owner: { cache: { size: number; evictions: number } },
): void {
  observedGauges(
    registry,
    {
      tidings_cache_size: { help: 'Characters of JSON that a cache holds', label: 'cache' },
      tidings_cache_evictions: { help: 'Entries that made room for others since the start', label: 'cache' },
    },
    () =>
      Promise.resolve({
        tidings_cache_size: new Map([[name, owner.cache.size]]),
        tidings_cache_evictions: new Map([[name, owner.cache.evictions]]),
      }),
  );
}
