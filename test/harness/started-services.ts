import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { connectBus } from '#bus';
import type { Service } from '#contracts';
import type { Running } from '#observability';
import { bootService, ServiceModule } from '#service-host';
import { boot } from '../../apps/gateway/src/boot.js';
import { gatewayEnvironment } from '../../apps/gateway/src/config.js';
import { environmentFor, freshDatabase, plans } from './service-plans.js';

/** Starts services as in production, in this process, on a new database and a namespace of their own. */
export async function startServices(names: readonly Service[], environment: NodeJS.ProcessEnv = {}) {
  const database = await freshDatabase();
  const config = { NATS_URL: process.env.NATS_URL!, NATS_NAMESPACE: `t-${randomUUID().slice(0, 8)}` };
  const running: Running[] = [];
  for (const makePlan of plans) {
    const plan = makePlan({ ...environmentFor(database.url), ...config, ...environment });
    if (names.includes(plan.service)) running.push(await bootService(ServiceModule.of(class {}, plan)));
  }
  return {
    config,
    databaseUrl: database.url,
    stop: async () => {
      for (const service of running) await service.stop();
      await database.drop();
    },
  };
}

/** Starts all services and a gateway. */
export async function startSystem(environment: NodeJS.ProcessEnv = {}) {
  const services = await startServices(['domain', 'subscriber', 'campaign', 'workflow', 'delivery'], environment);
  const { MASTER_KEY, LOG_LEVEL } = environmentFor(services.databaseUrl);
  const gateway = await boot(gatewayEnvironment.parse({ ...services.config, MASTER_KEY, LOG_LEVEL, PORT: '0' }));
  const url = gateway.facts!.url as string;
  return {
    ...services,
    url,
    config: { ...services.config, MASTER_KEY: MASTER_KEY!, PORT: new URL(url).port },
    stop: async () => {
      await gateway.stop();
      await services.stop();
    },
  };
}

/** Connects to the database and the event store of a started system. */
export async function connectTo({ databaseUrl, config }: Awaited<ReturnType<typeof startSystem>>) {
  const database = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
  const bus = await connectBus({ url: config.NATS_URL, namespace: config.NATS_NAMESPACE, name: 'spec' });
  return {
    database,
    bus,
    query: async <T>(sql: string, params: unknown[] = []): Promise<T[]> => await database.query(sql, params),
    close: async () => {
      await bus.close();
      await database.destroy();
    },
  };
}
