import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { INestMicroservice } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Bus, BusServer } from '#bus';
import { checkMasterKeyAsRole, hasRoom, maintainPartitions, prepareSchema, TallyRepository } from '#database';
import { DeadLetterRepository, EventConsumer, OutboxPublisher } from '#events';
import { createLogger, observeReadiness, quietNest, startHealthServer } from '#observability';
import type { Logger, Metrics, Running } from '#observability';
import { CallContexts } from './call-context.js';
import { ExecutedCallRepository } from './executed-call.repository.js';
import { runJobs } from './jobs.js';
import { outboxReaderJob } from './outbox-reader.job.js';
import { ReplicaWorker } from './replica.worker.js';
import { retentionJob } from './retention.job.js';
import {
  observeClockSkews,
  observeDatabase,
  observeEvents,
  observePublisher,
  observeReading,
} from './service-metrics.js';
import { eventConsumers, eventStreamOf, LOGGER, METRICS, PLAN, rolePrefix } from './service.module.js';
import type { Job, ServiceDependencies, ServicePlan, Worker } from './service-plan.js';

/** The migration job waits for PostgreSQL for as long as it may take: a failed Job is not started again. */
const migrationWaitMs = 3_600_000;

/** Migrates the schema of a plan; the migration job does only this, and waits for its database. */
export async function migrateService({ service, config, migrations }: ServicePlan): Promise<void> {
  const log = createLogger(service, config.LOG_LEVEL);
  await prepareSchema({
    ...schemaOf({ service, config }),
    migrations,
    patience: {
      waitMs: config.MIGRATE === 'only' ? migrationWaitMs : 0,
      report: (error) => log.warn({ err: error }, 'waiting for PostgreSQL'),
    },
  });
}

const schemaOf = ({ service, config }: Pick<ServicePlan, 'service' | 'config'>) => ({
  ownerUrl: config.DATABASE_URL,
  schema: service,
  rolePrefix: rolePrefix(config),
  masterKey: config.MASTER_KEY,
});

/**
 * Starts a service: schema, calls, events, jobs, health.
 * @returns `stop`, which finishes running work first; `facts` for the supervisor
 */
export async function bootService(module: DynamicModule): Promise<Running> {
  const plan = planOf(module);
  const { config, service } = plan;
  if (config.MIGRATE === 'never') await checkMasterKeyAsRole(schemaOf(plan));
  else await migrateService(plan);
  if (config.MIGRATE === 'only') return { isDone: true, stop: () => Promise.resolve() };
  const server = new BusServer({
    url: config.NATS_URL,
    namespace: config.NATS_NAMESPACE,
    name: `${service} host`,
    queue: service,
  });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(module, {
    strategy: server,
    logger: quietNest,
    abortOnError: false,
  });
  // Opened resources in the order of opening; closed in reverse.
  const open: (() => Promise<unknown>)[] = [() => app.close()];
  const stop = async () => {
    for (const close of open.splice(0).reverse()) await close();
  };
  try {
    const parts = partsOf(app);
    open.push(() => parts.bus.close());
    await makeRoom(parts);
    let started = false;
    const health = await startHealth(plan, parts, () => started);
    open.push(health.close);
    for (const worker of workersOf(plan, parts, app.get(OutboxPublisher))) {
      open.push(() => worker.stop());
      await worker.start();
    }
    const jobs = runJobs(app.get(SchedulerRegistry), jobsOf(plan, parts), parts);
    open.push(jobs.stop);
    open.push(() => server.close());
    await app.listen();
    started = true;
    return { facts: { ...(await plan.onReady?.(parts)), healthPort: health.port }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Makes today's partitions before the first write. A service that was down for days, or was restored from a backup, has
 * none, and the job comes too late. A failure shows as not ready.
 */
async function makeRoom({ dataSource, log }: ServiceDependencies): Promise<void> {
  await maintainPartitions(dataSource.manager, { attempts: 3 }).catch((error: unknown) =>
    log.warn({ err: error }, 'partitions could not be made at the start'),
  );
}

/** The outbox publisher stops after the others, and publishes what they wrote while stopping. */
function workersOf(plan: ServicePlan, parts: ServiceDependencies & { bus: Bus }, publisher: OutboxPublisher): Worker[] {
  const consumer = consumerOf(plan, parts, publisher);
  observePublisher(parts.metrics.registry, publisher);
  if (consumer) observeReading(parts.metrics.registry, consumer);
  return [replicaOf(plan, parts), publisher, ...(consumer ? [consumer] : []), ...(plan.workers?.(parts) ?? [])];
}

const replicaOf = (plan: ServicePlan, parts: ServiceDependencies & { bus: Bus }): ReplicaWorker =>
  new ReplicaWorker({
    service: plan.service,
    sql: parts.dataSource.manager,
    bus: parts.bus,
    log: parts.log,
    hasOlderReplica: () => plan.hasOlderReplica?.(parts) ?? Promise.resolve(false),
  });

/** @param isStarted whether calls are served: a worker's start may have work to finish first, and is no reason to kill */
function startHealth(plan: ServicePlan, parts: ServiceDependencies & { bus: Bus }, isStarted: () => boolean) {
  const { config } = plan;
  const { bus, dataSource, metrics } = parts;
  const { registry } = metrics;
  const checks = { bus: () => bus.connected, database: () => hasRoom(dataSource.manager), start: isStarted };
  observeReadiness(registry, checks);
  observeDatabase(registry, dataSource);
  observeClockSkews(registry, bus);
  observeEvents(plan, parts);
  plan.observe?.(parts);
  return startHealthServer({ host: config.HEALTH_HOST, port: config.HEALTH_PORT, registry, checks });
}

const planOf = (module: DynamicModule) =>
  (module.providers as { provide: unknown; useValue: ServicePlan }[]).find(({ provide }) => provide === PLAN)!.useValue;

function partsOf(app: INestMicroservice): ServiceDependencies & { bus: Bus } {
  return {
    dataSource: app.get<DataSource>(getDataSourceToken()),
    contexts: app.get(CallContexts),
    bus: app.get(Bus),
    log: app.get<Logger>(LOGGER),
    metrics: app.get<Metrics>(METRICS),
  };
}

function consumerOf(
  plan: ServicePlan,
  parts: ServiceDependencies & { bus: Bus },
  publisher: OutboxPublisher,
): EventConsumer | null {
  const handlers = plan.eventHandlers?.(parts);
  if (!handlers) return null;
  const { contexts, dataSource, bus, log } = parts;
  return new EventConsumer({
    service: plan.service,
    dataSource,
    bus,
    stream: eventStreamOf(plan, bus),
    handlers,
    concernedBy: plan.concernedBy,
    lockForEvents: plan.lockForEvents,
    log,
    committed: (wroteEvents, updates) => {
      contexts.noteCommit();
      for (const update of updates) bus.live.publish(update);
      if (wroteEvents) publisher.wake();
    },
  });
}

/** All jobs of a service: those that each has, and its own. */
export const jobsOf = (plan: ServicePlan, parts: ServiceDependencies): Job[] => [
  ...ownJobs(parts),
  // No service applies the events of domain.
  ...(plan.service === 'domain' ? [] : [outboxReaderJob(plan, parts, eventConsumers)]),
  ...(plan.retained ? [retentionJob(plan.retained, parts)] : []),
  ...(plan.jobs?.(parts) ?? []),
];

function ownJobs({ dataSource, log }: Pick<ServiceDependencies, 'dataSource' | 'log'>): Job[] {
  return [
    {
      name: 'fold tallies',
      everyMs: 1_000,
      restMs: 30_000,
      run: () => new TallyRepository(dataSource.manager).foldChanges(),
    },
    {
      name: 'forget executed calls',
      everyMs: 60_000,
      untilNone: true,
      run: () => new ExecutedCallRepository(dataSource.manager).deleteExpired(),
    },
    {
      name: 'forget dead letters',
      everyMs: 3_600_000,
      untilNone: true,
      run: () => new DeadLetterRepository(dataSource.manager).deleteOld(new Date(Date.now())),
    },
    {
      name: 'maintain partitions',
      everyMs: 600_000,
      run: async () => {
        const { blocked } = await maintainPartitions(dataSource.manager);
        if (blocked.length) log.warn({ tables: blocked }, 'partitions wait for long transactions on their tables');
      },
    },
  ];
}
