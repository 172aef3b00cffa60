import { Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Bus, connectBus, eventStream } from '#bus';
import { protocolVersion } from '#contracts';
import type { Service } from '#contracts';
import { olderApplicationName, rolePrefixOf, RuntimeDataSource, runtimeDataSource, runtimeUrl } from '#database';
import { OutboxPublisher } from '#events';
import type { OutboxPublisherOptions } from '#events';
import { deriveKey } from '#link-token';
import { createLogger, createMetrics } from '#observability';
import type { Metrics } from '#observability';
import { CallContexts } from './call-context.js';
import { deadLetterFactory } from './dead-letter.requests.js';
import { eventRepairFactory } from './event-repair.requests.js';
import { replicaFactory } from './replica.requests.js';
import { retentionFactory } from './retention.requests.js';
import type { ServiceDependencies, ServicePlan } from './service-plan.js';
import { ToolController } from './tool.controller.js';
import { ToolHost } from './tool-host.js';

export const PLAN = Symbol('plan');
export const LOGGER = Symbol('logger');
export const METRICS = Symbol('metrics');

/** The services that apply events of others. */
export const eventConsumers: readonly Service[] = ['subscriber', 'campaign', 'workflow', 'delivery'];

export const rolePrefix = ({
  DATABASE_ROLE_PREFIX,
  DATABASE_URL,
}: {
  DATABASE_ROLE_PREFIX: string;
  DATABASE_URL: string;
}) => DATABASE_ROLE_PREFIX || rolePrefixOf(DATABASE_URL);

/** Wires a plan into a Nest module: data source, bus, relay, tool host, and the controller of its subjects. */
@Module({})
export class ServiceModule {
  static of(app: Type<unknown>, plan: ServicePlan): DynamicModule {
    const { config, service } = plan;
    return {
      module: app,
      imports: [
        ScheduleModule.forRoot(),
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...connectionOf(plan), retryAttempts: 0 }),
          dataSourceFactory: async (options) => await new RuntimeDataSource(options!).initialize(),
        }),
      ],
      controllers: [ToolController(service)],
      providers: [
        { provide: PLAN, useValue: plan },
        { provide: LOGGER, useFactory: () => createLogger(service, config.LOG_LEVEL) },
        { provide: METRICS, useFactory: () => createMetrics(service, { processMetrics: true }) },
        {
          provide: Bus,
          useFactory: () =>
            connectBus({
              url: config.NATS_URL,
              name: service,
              namespace: config.NATS_NAMESPACE,
              home: config.HOME_CELL,
            }),
        },
        {
          provide: OutboxPublisher,
          inject: [Bus, getDataSourceToken(), LOGGER],
          useFactory: (bus: Bus, dataSource: DataSource, log: ReturnType<typeof createLogger>) =>
            publisherOf(plan, { bus, sql: dataSource.manager, log }),
        },
        {
          provide: CallContexts,
          inject: [getDataSourceToken(), Bus, OutboxPublisher],
          useFactory: (dataSource: DataSource, bus: Bus, publisher: OutboxPublisher) =>
            new CallContexts(service, dataSource, wakeAll(service, bus, publisher), bus.live),
        },
        {
          provide: ToolHost,
          inject: [CallContexts, getDataSourceToken(), Bus, LOGGER, METRICS],
          useFactory: (
            contexts: CallContexts,
            dataSource: DataSource,
            bus: Bus,
            log: ReturnType<typeof createLogger>,
            metrics: Metrics,
          ) =>
            new ToolHost({
              factories: factoriesOf(plan, { contexts, dataSource, bus, log, metrics }),
              contexts,
              log,
              metrics,
              hashKey: deriveKey(config.MASTER_KEY, 'request-hashes'),
              live: bus.live,
            }),
        },
      ],
    };
  }
}

/** The stream of events with the limits of the settings. */
export const eventStreamOf = ({ config }: ServicePlan, bus: Bus) =>
  eventStream(bus, config.NATS_REPLICAS, config.EVENTS_MAX_MB * 1e6);

const publisherOf = (plan: ServicePlan, parts: Pick<OutboxPublisherOptions, 'bus' | 'sql' | 'log'>) =>
  new OutboxPublisher({
    ...parts,
    service: plan.service,
    stream: eventStreamOf(plan, parts.bus),
    consumers: eventConsumers,
  });

const connectionOf = ({ service, config }: ServicePlan) =>
  runtimeDataSource({
    url: runtimeUrl({
      ownerUrl: config.DATABASE_URL,
      rolePrefix: rolePrefix(config),
      schema: service,
      masterKey: config.MASTER_KEY,
    }),
    schema: service,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: `${olderApplicationName(service)} v${protocolVersion}`,
  });

/** All calls of a service: its own, and those that each answers. */
export const factoriesOf = (plan: ServicePlan, parts: ServiceDependencies) => [
  ...plan.tools(parts),
  deadLetterFactory(plan.service, plan.eventHandlers?.(parts) ?? {}),
  eventRepairFactory(plan, parts),
  replicaFactory(plan.service, () => plan.hasOlderReplica?.(parts) ?? Promise.resolve(false)),
  ...(plan.retained ? [retentionFactory(plan.service, plan.retained)] : []),
];

/** Wakes this process's relay at once and the others', whichever holds the lane, by one broadcast a tick. */
function wakeAll(service: string, bus: Bus, publisher: OutboxPublisher): () => void {
  let notified = false;
  return () => {
    publisher.wake();
    if (notified) return;
    notified = true;
    setImmediate(() => {
      notified = false;
      if (bus.connected) bus.broadcast(`outbox.${service}`, {});
    });
  };
}
