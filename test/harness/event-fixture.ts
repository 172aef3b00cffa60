import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { connectBus, eventStream } from '#bus';
import type { Bus } from '#bus';
import { newId, runtimeDataSource, runtimeUrl } from '#database';
import { durableOf, EventConsumer, LaneLeaseRepository, Outbox, OutboxPublisher } from '#events';
import type { ConsumerOptions, EventHandlers, OutboxPublisherOptions } from '#events';
import { createLogger } from '#observability';
import { testLogLevel, testRolePrefix } from '#testing';
import type { TestDatabase } from '#testing';
import { environmentFor, freshDatabase } from './service-plans.js';

/** One service's outbox and inbox, and an event store of their own. */
export class EventFixture {
  readonly organizationId = newId('org');
  readonly log = createLogger('spec', testLogLevel);

  private constructor(
    private readonly database: TestDatabase,
    readonly dataSource: DataSource,
    readonly bus: Bus,
  ) {}

  static async start(): Promise<EventFixture> {
    const database = await freshDatabase();
    const url = runtimeUrl({
      ownerUrl: database.url,
      rolePrefix: testRolePrefix,
      schema: 'subscriber',
      masterKey: environmentFor('').MASTER_KEY!,
    });
    const options = runtimeDataSource({ url, schema: 'subscriber', poolSize: 8, applicationName: 'spec' });
    const namespace = `t-${randomUUID().slice(0, 8)}`;
    const bus = await connectBus({ url: process.env.NATS_URL!, namespace, name: 'spec' });
    return new EventFixture(database, await new DataSource(options).initialize(), bus);
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.dataSource.destroy();
    await this.database.drop();
  }

  /** A tag event; its number is the tag's name, so that order and count of effects can be checked. */
  tagAdded(subscriberId: string, n: number | string) {
    return {
      subscriberId,
      subscriberStatus: 'SUBSCRIBED',
      triggerWorkflows: true,
      cause: { kind: 'tool', id: null },
      occurredAt: '2026-01-01T00:00:00.000Z',
      tagId: newId('tag'),
      tagName: String(n),
    } as const;
  }

  /** Commits tag events, which wait in the outbox then. */
  write(events: { subscriberId: string; n: number | string }[]): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      const outbox = new Outbox('subscriber');
      for (const { subscriberId, n } of events)
        outbox.add(this.organizationId, 'tag.added', this.tagAdded(subscriberId, n), subscriberId);
      await outbox.flush(manager);
    });
  }

  /** How many envelopes of the outbox are not published. */
  async waiting(): Promise<number> {
    const [{ n }] = await this.dataSource.query<[{ n: number }]>(
      `select count(*)::int as n from outbox where published_at is null`,
    );
    return n;
  }

  /** How many messages of a lane wait for a consumer; null while no process reads it. */
  async pending(service: string, lane: number): Promise<number | null> {
    const lanes = await new LaneLeaseRepository(this.dataSource.manager).list(`consumer ${service}`);
    const held = lanes.find((one) => one.lane === lane);
    if (!held) return null;
    return await eventStream(this.bus)
      .pending(durableOf(service, held))
      .catch(() => null);
  }

  makeRelay(options: Partial<OutboxPublisherOptions> = {}): OutboxPublisher {
    const { bus, log, dataSource } = this;
    const sql = dataSource.manager;
    return new OutboxPublisher({ service: 'subscriber', sql, bus, stream: eventStream(bus), log, ...options });
  }

  makeConsumer(service: string, handlers: EventHandlers, options: Partial<ConsumerOptions> = {}): EventConsumer {
    const { bus, log, dataSource } = this;
    return new EventConsumer({
      service,
      dataSource,
      bus,
      stream: eventStream(bus),
      handlers,
      log,
      committed: () => undefined,
      ...options,
    });
  }
}
