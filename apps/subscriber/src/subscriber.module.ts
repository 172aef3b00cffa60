import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { choiceStream } from '#bus';
import type { Bus, ServiceBus } from '#bus';
import { messageRequests, domainRequests } from '#contracts';
import {
  AttachPartitions1700000001195,
  CreateMasterKeyCheck1700000000950,
  CreateReplica1700000001200,
  AddLanePosition1700000001210,
  KeepLateEvents1700000000970,
  PlanOutbox1700000001230,
  HoldOutbox1700000001390,
  ToastOutbox1700000001540,
  RememberWholeRequests1700000000900,
  SharedTables1700000000000,
} from '#database';
import { addressHasher } from '#link-token';
import { OrganizationSettingsCache, ServiceModule } from '#service-host';
import type { CallContext, Job, ServiceDependencies, ServicePlan, Worker } from '#service-host';
import { CreateTag1700000000100 } from '../migrations/1700000000100-create-tag.js';
import { CreateSubscriber1700000000110 } from '../migrations/1700000000110-create-subscriber.js';
import { CreateHistory1700000000120 } from '../migrations/1700000000120-create-history.js';
import { CreateAudience1700000000130 } from '../migrations/1700000000130-create-audience.js';
import { ExtendLife1700000000150 } from '../migrations/1700000000150-extend-life.js';
import { CreateReading1700000000160 } from '../migrations/1700000000160-create-reading.js';
import { CreateStatistics1700000000170 } from '../migrations/1700000000170-create-statistics.js';
import { KeepUnsubscriptions1700000000180 } from '../migrations/1700000000180-keep-unsubscriptions.js';
import { CreateFormerSubscriber1700000000190 } from '../migrations/1700000000190-create-former-subscriber.js';
import { RememberTagNames1700000000200 } from '../migrations/1700000000200-remember-tag-names.js';
import { LinkSuccessors1700000000210 } from '../migrations/1700000000210-link-successors.js';
import { JudgeSoftBounces1700000000220 } from '../migrations/1700000000220-judge-soft-bounces.js';
import { LimitCustomFields1700000000260 } from '../migrations/1700000000260-limit-custom-fields.js';
import { ShareExports1700000000261 } from '../migrations/1700000000261-share-exports.js';
import { CanonicalCountry1700000000270 } from '../migrations/1700000000270-canonical-country.js';
import { KeepBanReason1700000000290 } from '../migrations/1700000000290-keep-ban-reason.js';
import { CreateCampaignRecipient1700000001310 } from '../migrations/1700000001310-create-campaign-recipient.js';
import { ShortenRecipientIndex1700000001490 } from '../migrations/1700000001490-shorten-recipient-index.js';
import { CreateImport1700000000280 } from '../migrations/1700000000280-create-import.js';
import { messageHandlers } from './activity/message.consumer.js';
import { implementAnalyticsTools } from './analytics/analytics.tools.js';
import { choiceHandlers } from './choice/choice.consumer.js';
import { ChoiceWorker } from './choice/choice.worker.js';
import { FindHeldAudiences1700000000240 } from '../migrations/1700000000240-find-held-audiences.js';
import { SetRetention1700000001220 } from '../migrations/1700000001220-set-retention.js';
import { implementMergeValueTools } from './audience/audience.requests.js';
import { implementAudiencePreview } from './audience/audience-preview.requests.js';
import { AudienceRepository } from './audience/audience.repository.js';
import type { SubscriberConfig } from './config.js';
import { sendConfirmations } from './confirmation/confirmation.job.js';
import { ConfirmationRepository } from './confirmation/confirmation.repository.js';
import { ExplainRepository } from './explain/explain.repository.js';
import { ExplainService } from './explain/explain.service.js';
import { implementExplainTools } from './explain/explain.tools.js';
import { ExportRepository } from './export/export.repository.js';
import { implementExportTools } from './export/export.tools.js';
import { ExportWorker } from './export/export.worker.js';
import { implementFieldTools } from './field/field.tools.js';
import { FilterEngine } from './filter/filter-engine.service.js';
import { FilterTargetClient } from './filter/filter-target.client.js';
import { FilterTargetRepository } from './filter/filter-target.repository.js';
import { implementFilterTools } from './filter/filter.tools.js';
import { CountSemaphore } from './filter/count-semaphore.js';
import { implementEventRequests } from './history/event.requests.js';
import { implementImportTools } from './import/import.tools.js';
import { ImportRepository } from './import-job/import.repository.js';
import { implementImportRequests } from './import-job/import-job.requests.js';
import { implementSubscriberImportTools } from './import-job/import-job.tools.js';
import { BatchPreparation } from './import-job/batch-preparation.service.js';
import { ImportWorker } from './import-job/import.worker.js';
import { PublicLinks } from './link/public-links.service.js';
import { BacklogRepository } from './metrics/backlog.repository.js';
import { observeBacklog } from './metrics/backlog.service.js';
import { implementPaymentTools } from './payment/payment.tools.js';
import { removeDeleted } from './cleanup/deleted-value.job.js';
import { SegmentRepository } from './segment/segment.repository.js';
import { implementSegmentTools } from './segment/segment.tools.js';
import { FormerSubscriberRepository } from './subscriber/former-subscriber.repository.js';
import { implementLifecycleRequests } from './subscriber/subscriber-lifecycle.requests.js';
import { implementSubscriberQueryTools } from './subscriber/subscriber-query.tools.js';
import { implementSubscriberRecordTools } from './subscriber/subscriber-record.tools.js';
import { implementSubscriberTools } from './subscriber/subscriber.tools.js';
import { implementSubscriberRequests } from './subscriber/subscriber.requests.js';
import { SubscriberService } from './subscriber/subscriber.service.js';
import { SubscriberViewRepository } from './subscriber/subscriber-view.repository.js';
import { TotalCache } from './subscriber/total-cache.service.js';
import { implementSuppressionTools } from './suppression/suppression.tools.js';
import { implementBulkTagTools } from './tag/bulk-tag.tools.js';
import { TagRepository } from './tag/tag.repository.js';
import { implementTagRequests } from './tag/tag.requests.js';
import { implementTagTools } from './tag/tag.tools.js';
import { ReferenceClient } from './reference/reference.client.js';
import { runHandlers } from './workflow/run.consumer.js';
import { implementWorkflowRequests } from './workflow/workflow.requests.js';
import { retainedRows } from './retained-rows.js';

const hasherOf = ({ MASTER_KEY }: SubscriberConfig) => addressHasher(MASTER_KEY);

const migrations = [
  SharedTables1700000000000,
  CreateTag1700000000100,
  CreateSubscriber1700000000110,
  CreateHistory1700000000120,
  CreateAudience1700000000130,
  ExtendLife1700000000150,
  CreateReading1700000000160,
  CreateStatistics1700000000170,
  KeepUnsubscriptions1700000000180,
  CreateFormerSubscriber1700000000190,
  RememberTagNames1700000000200,
  LinkSuccessors1700000000210,
  JudgeSoftBounces1700000000220,
  FindHeldAudiences1700000000240,
  LimitCustomFields1700000000260,
  ShareExports1700000000261,
  CanonicalCountry1700000000270,
  CreateImport1700000000280,
  KeepBanReason1700000000290,
  RememberWholeRequests1700000000900,
  CreateMasterKeyCheck1700000000950,
  KeepLateEvents1700000000970,
  AttachPartitions1700000001195,
  CreateReplica1700000001200,
  AddLanePosition1700000001210,
  SetRetention1700000001220,
  PlanOutbox1700000001230,
  HoldOutbox1700000001390,
  CreateCampaignRecipient1700000001310,
  ShortenRecipientIndex1700000001490,
  ToastOutbox1700000001540,
];

export const subscriberPlan = (config: SubscriberConfig): ServicePlan<SubscriberConfig> => ({
  service: 'subscriber',
  config,
  migrations,
  eventHandlers: () => ({ ...messageHandlers(hasherOf(config)), ...runHandlers, ...choiceHandlers }),
  tools: ({ bus }) => {
    const { settings, owners, engine } = filtering(bus);
    const totals = new TotalCache();
    const counting = new CountSemaphore(Math.floor(config.DATABASE_POOL_SIZE / 2));
    const hashAddress = hasherOf(config);
    const links = new PublicLinks(config);
    const usage = ({ manager }: CallContext) => new ReferenceClient(manager, bus);
    return [
      (context) => implementTagTools(context, { usage: usage(context) }),
      implementBulkTagTools,
      ({ manager }) => implementTagRequests({ tags: new TagRepository(manager) }),
      (context) => implementSubscriberQueryTools(context, { engine: engine(context), totals, counting }),
      (context) => implementSubscriberTools(context, { settings, hashAddress }),
      (context) => implementMergeValueTools(context, { engine: engine(context) }),
      (context) => implementSubscriberRecordTools(context, { engine: engine(context), totals, counting, hashAddress }),
      (context) => implementPaymentTools(context, { settings }),
      (context) => implementEventRequests(context, { settings }),
      (context) => implementSuppressionTools(context, { hashAddress }),
      (context) => implementFieldTools(context, { usage: usage(context) }),
      (context) => implementSegmentTools(context, { engineOf: engine, bus, counting }),
      ({ manager }) => implementFilterTools({ targets: new FilterTargetRepository(manager), owners }),
      ({ manager }) => implementAnalyticsTools({ sql: manager, settings, bus }),
      ({ manager, outbox }) => implementImportTools({ writer: new SubscriberService(manager, outbox, hashAddress) }),
      (context) => implementSubscriberImportTools(context, { links }),
      (context) => implementImportRequests(context, { links }),
      (context) => implementExportTools(context, { engine: engine(context), links }),
      (context) => implementSubscriberRequests(context, { engine: engine(context), counting }),
      (context) => implementAudiencePreview(context, { engine: engine(context), counting }),
      (context) =>
        implementExplainTools({
          views: new SubscriberViewRepository(context.manager),
          explanations: new ExplainService({
            explanations: new ExplainRepository(context.manager),
            segments: new SegmentRepository(context.manager),
            engine: engine(context),
            bus,
          }),
        }),
      (context) => implementLifecycleRequests(context, { hashAddress }),
      (context) => implementWorkflowRequests(context, { engine: engine(context), hashAddress }),
    ];
  },
  observe: ({ dataSource, metrics }) => observeBacklog(metrics.registry, new BacklogRepository(dataSource.manager)),
  retained: retainedRows,
  jobs: (parts) => jobsOf(parts, new PublicLinks(config)),
  workers: (parts) => workersOf(parts, config),
});

function workersOf(
  { dataSource, contexts, bus, log }: ServiceDependencies & { bus: Bus },
  config: SubscriberConfig,
): Worker[] {
  const { engine: engineOf, settings } = filtering(bus);
  const engine = engineOf({ manager: dataSource.manager });
  const choices = choiceStream(bus, config.NATS_REPLICAS);
  const hashAddress = hasherOf(config);
  const preparation = new BatchPreparation(config.IMPORT_THREAD_URL);
  return [
    new ExportWorker({ dataSource, contexts, engine, bus, log }),
    new ImportWorker({ dataSource, contexts, settings, hashAddress, preparation, live: bus.live, log }),
    new ChoiceWorker({ stream: choices, contexts, log }),
  ];
}

function filtering(bus: ServiceBus) {
  const settings = new OrganizationSettingsCache(bus);
  const owners = new FilterTargetClient(bus);
  const engine = ({ manager }: Pick<CallContext, 'manager'>) =>
    new FilterEngine({ targets: new FilterTargetRepository(manager), owners, settings });
  return { settings, owners, engine };
}

function jobsOf({ dataSource, contexts, bus, log }: ServiceDependencies, links: PublicLinks): Job[] {
  const confirmations = {
    confirmations: new ConfirmationRepository(dataSource.manager),
    settings: new OrganizationSettingsCache(bus),
    delivery: bus.client(messageRequests),
    domain: bus.client(domainRequests),
    links,
    log,
  };
  // Work begins with a call to this process; the slower poll finds work of processes that may have died.
  const soon = { everyMs: 1_000, restMs: 15_000 };
  return [
    { name: 'send confirmations', ...soon, run: () => sendConfirmations(confirmations) },
    {
      name: 'remove what deleted tags and fields left',
      ...soon,
      run: () => removeDeleted(contexts, new Date(Date.now())),
    },
    {
      name: 'forget former subscribers',
      everyMs: 3_600_000,
      untilNone: true,
      run: () => new FormerSubscriberRepository(dataSource.manager).deleteOld(),
    },
    {
      name: 'release old audiences',
      everyMs: 3_600_000,
      untilNone: true,
      run: () => new AudienceRepository(dataSource.manager).releaseOld(),
    },
    {
      name: 'delete old exports',
      everyMs: 3_600_000,
      untilNone: true,
      run: () => new ExportRepository(dataSource.manager).deleteOld(),
    },
    {
      name: 'delete old imports',
      everyMs: 3_600_000,
      untilNone: true,
      run: () => new ImportRepository(dataSource.manager).deleteOld(),
    },
  ];
}

@Module({})
export class SubscriberModule {
  static of(config: SubscriberConfig): DynamicModule {
    return ServiceModule.of(SubscriberModule, subscriberPlan(config));
  }
}
