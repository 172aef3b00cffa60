import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RuntimeDataSource, runtimeDataSource, runtimeUrl } from '#database';
import { createLogger, createMetrics } from '#observability';
import { CallContexts, migrateService, readEnvironment } from '#service-host';
import type { ServiceDependencies, ServicePlan } from '#service-host';
import { cloneDatabase, LocalBus, testLogLevel, testRolePrefix } from '#testing';
import type { TestDatabase } from '#testing';
import { campaignPlan } from '../../apps/campaign/src/campaign.module.js';
import { campaignEnvironment } from '../../apps/campaign/src/config.js';
import { deliveryEnvironment } from '../../apps/delivery/src/config.js';
import { deliveryPlan } from '../../apps/delivery/src/delivery.module.js';
import { domainEnvironment } from '../../apps/domain/src/config.js';
import { domainPlan } from '../../apps/domain/src/domain.module.js';
import { subscriberEnvironment } from '../../apps/subscriber/src/config.js';
import { subscriberPlan } from '../../apps/subscriber/src/subscriber.module.js';
import { workflowEnvironment } from '../../apps/workflow/src/config.js';
import { workflowPlan } from '../../apps/workflow/src/workflow.module.js';

/** Every service's plan, from the environment it would be started with; a new service is one line here. */
export const plans: ((environment: NodeJS.ProcessEnv) => ServicePlan)[] = [
  (environment) => subscriberPlan(readEnvironment(subscriberEnvironment, environment)),
  (environment) => campaignPlan(readEnvironment(campaignEnvironment, environment)),
  (environment) => deliveryPlan(readEnvironment(deliveryEnvironment, environment)),
  (environment) => domainPlan(readEnvironment(domainEnvironment, environment)),
  (environment) => workflowPlan(readEnvironment(workflowEnvironment, environment)),
];

const testKey = '5f'.repeat(32);

/** The master key of all services of a test. */
export const testMasterKey = (): string => process.env.MASTER_KEY ?? testKey;

/** What a service of a test is started with. */
export const environmentFor = (databaseUrl: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  NATS_URL: process.env.NATS_URL ?? 'nats://127.0.0.1:4222',
  // Roles belong to the whole cluster: suites that start real processes there derive the same passwords.
  MASTER_KEY: testMasterKey(),
  LOG_LEVEL: testLogLevel,
  DATABASE_POOL_SIZE: '4',
  // Each suite has streams of its own, and the server reserves their bytes.
  EVENTS_MAX_MB: '256',
  HITS_MAX_MB: '64',
  DATABASE_ROLE_PREFIX: testRolePrefix,
  PUBLIC_URL: 'http://localhost:3000',
  MAIL_HOST: 'mx.tidings.example',
  SMTP_URL: 'smtp://127.0.0.1:9',
  // Threads run the compiled build, also where a test runs sources.
  RENDER_THREAD_URL: pathToFileURL(
    join(process.env.TIDINGS_BUILD_DIR!, 'apps/delivery/src/send/render/render-thread.worker.js'),
  ).href,
  CONTENT_THREAD_URL: pathToFileURL(join(process.env.TIDINGS_BUILD_DIR!, 'libs/content/src/compiler/content.worker.js'))
    .href,
  IMPORT_THREAD_URL: pathToFileURL(
    join(process.env.TIDINGS_BUILD_DIR!, 'apps/subscriber/src/import-job/batch-preparation.worker.js'),
  ).href,
  FETCH_ALLOWED_ADDRESSES: process.env.FETCH_ALLOWED_ADDRESSES,
  DNS_SERVERS: process.env.DNS_SERVERS,
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('S3_'))),
});

/** A database with every service's schema; all suites share its template. */
export const freshDatabase = (): Promise<TestDatabase> =>
  cloneDatabase(async (ownerUrl) => {
    for (const plan of plans) await migrateService(plan(environmentFor(ownerUrl)));
  });

/** What a service in the process of a test is built from; its data source is not connected yet. */
export function partsOf({ service, config }: ServicePlan, bus: LocalBus): ServiceDependencies {
  const dataSource = new RuntimeDataSource(
    runtimeDataSource({
      url: runtimeUrl({
        ownerUrl: config.DATABASE_URL,
        rolePrefix: config.DATABASE_ROLE_PREFIX,
        schema: service,
        masterKey: config.MASTER_KEY,
      }),
      schema: service,
      poolSize: config.DATABASE_POOL_SIZE,
      applicationName: `test ${service}`,
    }),
  );
  const log = createLogger(service, config.LOG_LEVEL);
  const metrics = createMetrics(service, { processMetrics: false });
  return { dataSource, contexts: new CallContexts(service, dataSource, () => undefined, bus.live), bus, log, metrics };
}

/** The names of all calls that some service has a handler for. */
export function implementedCalls(): Set<string> {
  const bus = new LocalBus();
  return new Set(
    plans.flatMap((makePlan) => {
      const plan = makePlan(environmentFor('postgres://localhost/none'));
      const parts = partsOf(plan, bus);
      return plan.tools(parts).flatMap((build) => Object.keys(build(parts.contexts.plain()).handlers));
    }),
  );
}
