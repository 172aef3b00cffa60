import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { domainRequests, subscriberQueryTools, subscriberRequests, subscriberTools, importTools } from '#contracts';
import { uuidOf } from '#database';
import { copySubscribers, fillHistory, TestSystem } from '#testing';
import type { Copied } from '#testing';
import { environment } from '../report.js';

/** An organization with `size` subscribers, alone in a system of its own, with access over the bus and to its rows. */
export class Organization {
  readonly query;
  readonly life;
  readonly requests;
  readonly transfer;

  readonly bus: Bus;
  readonly system: TestSystem;
  /** The owner's connection. */
  readonly sql: pg.Client;

  private constructor(
    { bus, system, sql }: Pick<Organization, 'bus' | 'system' | 'sql'>,
    readonly organizationId: string,
    readonly size: number,
    readonly copied: Copied,
  ) {
    [this.bus, this.system, this.sql] = [bus, system, sql];
    this.query = bus.client(subscriberQueryTools);
    this.life = bus.client(subscriberTools);
    this.requests = bus.client(subscriberRequests);
    this.transfer = bus.client(importTools);
  }

  /** @param isSending whether the services that send run too */
  static async build({
    size,
    events,
    isSending = false,
  }: {
    size: number;
    events: number;
    isSending?: boolean;
  }): Promise<Organization> {
    const { buildDir, databaseUrl: server, natsUrl, masterKey } = environment();
    const system = await TestSystem.start({
      buildDir,
      databaseUrl: server,
      natsUrl,
      masterKey,
      environment: { SMTP_URL: 'smtp://127.0.0.1:9' },
      processes: ['domain', 'subscriber', ...(isSending ? ['campaign', 'delivery'] : [])],
    });
    const bus = await connectBus({ url: natsUrl, namespace: system.databaseName, name: 'bench' });
    const { organization } = await bus
      .client(domainRequests)
      .create_organization({ name: 'Town' }, serviceCaller('', randomUUID()));
    const databaseUrl = system.environment.DATABASE_URL!;
    const place = { databaseUrl, organizationId: organization.id };
    const copied = await copySubscribers({ ...place, count: size, alone: true });
    await fillHistory({ ...place, eventsEach: events });
    const sql = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=subscriber,public' });
    await sql.connect();
    return new Organization({ system, bus, sql }, organization.id, size, copied);
  }

  caller() {
    return serviceCaller(this.organizationId, randomUUID());
  }

  /** As it is stored. */
  get uuid(): string {
    return uuidOf('org', this.organizationId)!;
  }

  /** Ends the whole system. */
  async leave(): Promise<void> {
    await this.sql.end();
    await this.bus.close();
    await this.system.stop();
  }
}

/** Milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
