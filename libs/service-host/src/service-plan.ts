import type { DataSource, DataSourceOptions, EntityManager } from 'typeorm';
import type { Bus, ServiceBus } from '#bus';
import type { DomainEvent, MissedStart, Service } from '#contracts';
import type { RetainedRows } from '#database';
import type { EventHandlers } from '#events';
import type { Logger, Metrics } from '#observability';
import type { CallContexts, ImplementationFactory } from './call-context.js';
import type { ServiceConfig } from './config.js';

export interface ServiceDependencies {
  dataSource: DataSource;
  contexts: CallContexts;
  bus: ServiceBus;
  log: Logger;
  metrics: Metrics;
}

/** Work that repeats; a run never overlaps the one before, and one that throws is logged and tried again next time. */
export type Job = { name: string; everyMs: number } & (Steady | Counting);

interface Steady {
  run(): Promise<void>;
  restMs?: undefined;
  untilNone?: undefined;
}

/**
 * A job that returns its amount of work must say how that is used, so that a job in parts does not end at the first.
 */
type Counting = {
  run(): Promise<number>;
  /** How long it rests after a run that answered 0, unless this process commits something; else it never rests. */
  restMs?: number;
  /** Repeats at once until a run returns 0: for data that is deleted in parts. */
  untilNone?: true;
} & ({ restMs: number } | { untilNone: true });

export interface Worker {
  start(): Promise<void> | void;
  stop(): Promise<void>;
}

export interface LateEvents {
  handlers: EventHandlers;
  /** Lists what the events would have started, which the handlers do not start. */
  listStarts(events: readonly DomainEvent[], manager: EntityManager): Promise<MissedStart[]>;
}

/** Everything that makes up a service; its module is the only place that writes one. */
export interface ServicePlan<C extends ServiceConfig = ServiceConfig> {
  service: Service;
  config: C;
  migrations: NonNullable<DataSourceOptions['migrations']>;
  tools(parts: ServiceDependencies): readonly ImplementationFactory[];
  eventHandlers?(parts: ServiceDependencies): EventHandlers;
  concernedBy?(event: DomainEvent): boolean;
  /** Locks, in one order, what the handlers of a transaction's events will change, before the first of them runs. */
  lockForEvents?(events: readonly DomainEvent[], manager: EntityManager): Promise<void>;
  /** How events are applied that were missed and are repaired, perhaps days later; without this, as others. */
  lateEvents?(parts: ServiceDependencies): LateEvents;
  /** Rows that are deleted when they are old, by night. */
  retained?: readonly RetainedRows[];
  jobs?(parts: ServiceDependencies): readonly Job[];
  observe?(parts: ServiceDependencies & { bus: Bus }): void;
  /** Gets the real bus, since workers may read and write streams. */
  workers?(parts: ServiceDependencies & { bus: Bus }): readonly Worker[];
  /** Whether a live process is older than protocol versions for a reason that only this service knows. */
  hasOlderReplica?(parts: ServiceDependencies): Promise<boolean>;
  /** Runs once the service answers calls; the supervisor gets its result. */
  onReady?(parts: ServiceDependencies): Promise<Record<string, unknown>>;
}
