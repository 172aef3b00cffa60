import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { connectBus } from '#bus';
import type { Bus } from '#bus';
import type { Service } from '#contracts';
import { FeatureRepository, ReplicaRepository, runtimeDataSource, runtimeUrl } from '#database';
import { CallContexts, replicaFactory, ReplicaWorker } from '#service-host';
import { createLogger } from '#observability';
import { testLogLevel, testRolePrefix } from '#testing';
import type { TestDatabase } from '#testing';
import { hasOlderEngine } from '../apps/delivery/src/send/engine-session.repository.js';
import { freshDatabase, testMasterKey } from './harness/service-plans.js';
import { useFixture } from './harness/use-fixture.js';

const readers = ['subscriber', 'campaign', 'workflow'] as const;

/** The schemas of delivery and of the services that read its events, and the processes that live beside them. */
class VersionFixture {
  readonly #running: { stop(): Promise<unknown> }[] = [];
  readonly #sources = new Map<Service, DataSource>();

  private constructor(
    private readonly database: TestDatabase,
    readonly bus: Bus,
  ) {}

  static async start(): Promise<VersionFixture> {
    const bus = await connectBus({
      url: process.env.NATS_URL!,
      namespace: `t-${randomUUID().slice(0, 8)}`,
      name: 'spec',
      repeatMs: 0,
    });
    const made = new VersionFixture(await freshDatabase(), bus);
    for (const service of ['delivery', ...readers] as const) {
      const options = { url: made.urlOf(service), schema: service, poolSize: 2, applicationName: 'spec' };
      made.#sources.set(service, await new DataSource(runtimeDataSource(options)).initialize());
    }
    return made;
  }

  async stop(): Promise<void> {
    for (const source of this.#sources.values()) await source.destroy();
    await this.bus.close();
    await this.database.drop();
  }

  urlOf = (schema: Service): string =>
    runtimeUrl({ ownerUrl: this.database.url, rolePrefix: testRolePrefix, schema, masterKey: testMasterKey() });

  sql = (service: Service) => this.#sources.get(service)!.manager;

  /** A process of a service, of the version given; `process` starts it. */
  make(service: Service, version: number): ReplicaWorker {
    const sql = this.sql(service);
    return new ReplicaWorker({
      service,
      sql,
      bus: this.bus,
      log: createLogger('spec', testLogLevel),
      version,
      ...(service === 'delivery' && { hasOlderReplica: () => hasOlderEngine(sql) }),
    });
  }

  async process(service: Service, version: number): Promise<ReplicaWorker> {
    const worker = this.make(service, version);
    this.#running.push(worker);
    await worker.start();
    return worker;
  }

  requests(service: Service) {
    const contexts = new CallContexts(service, this.#sources.get(service)!, () => undefined);
    return replicaFactory(service)(contexts.plain()).handlers;
  }

  /** Answers the requests of another service as one of its processes does that knows them. */
  answer(service: Service): void {
    const subject = `${this.bus.namespace}.requests.${service}.get_protocol_version`;
    const subscription = this.bus.connection.subscribe(subject, {
      callback: (_error, message) =>
        void (async () => {
          const data = await this.requests(service).get_protocol_version!({} as never, {} as never);
          message.respond(JSON.stringify({ ok: true, data }));
        })(),
    });
    this.#running.push({ stop: () => Promise.resolve(subscription.unsubscribe()) });
  }

  /** Leases a lane as programs do that have no protocol version. */
  async leaseLane(service: Service, seconds: number): Promise<void> {
    await this.sql(service).query(
      `insert into lane_lease (role, lane, owner, fence, until)
       values ('relay', 0, $1, 1, clock_timestamp() + make_interval(secs => $2))
       on conflict (role, lane) do update set owner = excluded.owner, until = excluded.until`,
      [randomUUID(), seconds],
    );
  }

  isEnabled = (name: 'messages.settled' | 'send.ledger'): Promise<boolean> =>
    new FeatureRepository(this.sql('delivery')).isEnabled(name);

  async reset(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((one) => one.stop()));
    for (const service of this.#sources.keys())
      for (const table of ['replica', 'feature', 'lane_lease']) await this.sql(service).query(`delete from ${table}`);
  }
}

describe('a format that older programs cannot read', () => {
  const world = useFixture(() => VersionFixture.start());
  afterEach(() => world.reset());

  it('is enabled by the first process of a new installation before it serves calls', async () => {
    await world.process('delivery', 1);
    expect(await world.isEnabled('send.ledger')).toBe(true);
  });

  it('waits while a process of an older version lives, and while one could still wake up', async () => {
    const replicas = new ReplicaRepository(world.sql('delivery'));
    const older = randomUUID();
    await replicas.renew('service', older, 0, -30);
    const newer = await world.process('delivery', 1);
    expect(await world.isEnabled('send.ledger')).toBe(false);
    await replicas.renew('service', older, 0, -61);
    await newer.enableFeatures({ isAlone: false });
    expect(await world.isEnabled('send.ledger')).toBe(true);
  });

  it('waits for a process that leases lanes and does not say its version', async () => {
    await world.leaseLane('delivery', 60);
    const newer = await world.process('delivery', 1);
    expect(await world.isEnabled('send.ledger')).toBe(false);
    await world.leaseLane('delivery', -1);
    await newer.enableFeatures({ isAlone: true });
    expect(await world.isEnabled('send.ledger')).toBe(true);
  });

  it('waits for an engine that holds its lock and does not say its version', async () => {
    const owner = randomUUID();
    const engine = new pg.Client({ connectionString: world.urlOf('delivery') });
    await engine.connect();
    await engine.query('begin');
    await engine.query(`select pg_advisory_xact_lock(hashtextextended('send engine ' || $1, 0))`, [owner]);
    await world.sql('delivery').query(`insert into send_engine (owner) values ($1)`, [owner]);
    const newer = await world.process('delivery', 1);
    expect(await world.isEnabled('send.ledger')).toBe(false);
    await new ReplicaRepository(world.sql('delivery')).renew('send engine', owner, 1, 15);
    expect(await hasOlderEngine(world.sql('delivery'))).toBe(false);
    await world.sql('delivery').query(`delete from replica where role = 'send engine'`);
    expect(await hasOlderEngine(world.sql('delivery'))).toBe(true);
    await engine.end();
    await newer.enableFeatures({ isAlone: true });
    expect(await world.isEnabled('send.ledger')).toBe(true);
  });

  it('waits for a process that is connected under the name of older versions and leases nothing', async () => {
    const older = new pg.Client({
      connectionString: world.urlOf('delivery'),
      application_name: 'tidings delivery',
      options: '-c search_path=delivery',
    });
    await older.connect();
    const newer = await world.process('delivery', 1);
    expect(await world.isEnabled('send.ledger')).toBe(false);
    await older.end();
    await newer.enableFeatures({ isAlone: true });
    expect(await world.isEnabled('send.ledger')).toBe(true);
  });

  it('waits for each service that reads it, also for one that does not know the request, and stays enabled', async () => {
    const [subscriber, campaign] = ['subscriber', 'campaign'] as const;
    for (const service of [subscriber, campaign]) {
      await world.process(service, 1);
      world.answer(service);
    }
    const delivery = await world.process('delivery', 1);
    const enabled = async () => {
      await delivery.enableFeatures({ isAlone: false });
      return await world.isEnabled('messages.settled');
    };
    // No process of workflow answers.
    expect(await enabled()).toBe(false);
    const older = await world.process('workflow', 0);
    await world.process('workflow', 1);
    world.answer('workflow');
    expect(await enabled()).toBe(false);
    await older.stop();
    await world.leaseLane('campaign', 60);
    expect(await enabled()).toBe(false);
    await world.leaseLane('campaign', -1);
    expect(await enabled()).toBe(true);
    await world.process('workflow', 0);
    expect(await enabled()).toBe(true);
  });

  it('stays off while an operator disables it, and is enabled again when that ends', async () => {
    const delivery = await world.process('delivery', 1);
    const { set_feature: setFeature, list_features: listFeatures } = world.requests('delivery');
    const set = (isAllowed: boolean) => setFeature!({ name: 'send.ledger', isAllowed } as never, {} as never);
    const state = { name: 'send.ledger', enabledAt: null };
    expect(await set(false)).toMatchObject({ features: expect.arrayContaining([{ ...state, state: 'DISABLED' }]) });
    await delivery.enableFeatures({ isAlone: true });
    expect(await world.isEnabled('send.ledger')).toBe(false);
    expect(await set(true)).toMatchObject({ features: expect.arrayContaining([{ ...state, state: 'WAITING' }]) });
    await delivery.enableFeatures({ isAlone: true });
    expect(await listFeatures!({} as never, {} as never)).toMatchObject({
      features: expect.arrayContaining([expect.objectContaining({ name: 'send.ledger', state: 'ENABLED' })]),
    });
  });
});
