import { readFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { ContentCompiler } from '#content';
import { mergedHandlers } from '#events';
import type { EventHandlers } from '#events';
import { hitStream } from '#bus';
import type { Bus } from '#bus';
import { domainRequests, domainTools, feedbackRequests, subscriberLifeRequests, subscriberRequests } from '#contracts';
import {
  AttachPartitions1700000001195,
  CreateMasterKeyCheck1700000000950,
  CreateReplica1700000001200,
  AddLanePosition1700000001210,
  FeatureRepository,
  KeepLateEvents1700000000970,
  PlanOutbox1700000001230,
  HoldOutbox1700000001390,
  ToastOutbox1700000001540,
  RetentionRepository,
  RememberWholeRequests1700000000900,
  SharedTables1700000000000,
} from '#database';
import { addressHasher, deriveKey, LinkTokens, SecretBox } from '#link-token';
import type { Logger } from '#observability';
import {
  observeCache,
  OrganizationSettingsCache,
  ServiceModule,
  storeRoomWarning,
  subscriberDataFactory,
} from '#service-host';
import type { ImplementationFactory, Job, ServiceDependencies, ServicePlan, Worker } from '#service-host';
import { CreateSend1700000000400 } from '../migrations/1700000000400-create-send.js';
import { AddMessageTags1700000000410 } from '../migrations/1700000000410-add-message-tags.js';
import { CreateHealth1700000000420 } from '../migrations/1700000000420-create-health.js';
import { IndexBounceReport1700000000430 } from '../migrations/1700000000430-index-bounce-report.js';
import { AddMailQuota1700000000440 } from '../migrations/1700000000440-add-mail-quota.js';
import { IndexDueMessages1700000000450 } from '../migrations/1700000000450-index-due-messages.js';
import { AddTrialNewestMessage1700000000460 } from '../migrations/1700000000460-add-trial-newest-message.js';
import { CreateErasure1700000000470 } from '../migrations/1700000000470-create-erasure.js';
import { KeepAddressHash1700000000480 } from '../migrations/1700000000480-keep-address-hash.js';
import { CreateTestMessage1700000000490 } from '../migrations/1700000000490-create-test-message.js';
import { unreachableHosts } from './config.js';
import { CreateMailHold1700000000500 } from '../migrations/1700000000500-create-mail-hold.js';
import { CreateEngagementHour1700000001150 } from '../migrations/1700000001150-create-engagement-hour.js';
import { CreateKeptAnswer1700000001170 } from '../migrations/1700000001170-create-kept-answer.js';
import { IndexReportMessage1700000001130 } from '../migrations/1700000001130-index-report-message.js';
import { CreateGroupCommit1700000001310 } from '../migrations/1700000001310-create-group-commit.js';
import { CreateLedger1700000001300 } from '../migrations/1700000001300-create-ledger.js';
import { CreateAnyMessage1700000001340 } from '../migrations/1700000001340-create-any-message.js';
import { AddTrialSlots1700000001360 } from '../migrations/1700000001360-add-trial-slots.js';
import { EndChunks1700000001410 } from '../migrations/1700000001410-end-chunks.js';
import { ShortenMailboxIndex1700000001480 } from '../migrations/1700000001480-shorten-mailbox-index.js';
import { CreateFairClaims1700000001500 } from '../migrations/1700000001500-create-fair-claims.js';
import { ReadGuard1700000001510 } from '../migrations/1700000001510-read-guard.js';
import { ReadJournal1700000001520 } from '../migrations/1700000001520-read-journal.js';
import { CreateSendEngine1700000001120 } from '../migrations/1700000001120-create-send-engine.js';
import { SetRetention1700000001220 } from '../migrations/1700000001220-set-retention.js';
import type { DeliveryConfig } from './config.js';
import { engagementHandlers } from './report/engagement/engagement.consumer.js';
import { EngagementRepository } from './report/engagement/engagement.repository.js';
import { implementEngagementTools } from './report/engagement/engagement.tools.js';
import { implementFeedbackRequests } from './report/bounce/bounce.requests.js';
import { BounceRepository } from './report/bounce/bounce.repository.js';
import type { EmailDependencies } from './accept/email/email.service.js';
import { implementEmailTools, implementWrittenEmails } from './accept/email/email.tools.js';
import { hasOlderEngine } from './send/engine-session.repository.js';
import { EndedChunkRepository } from './send/chunk/ended-chunk.repository.js';
import { SendEngine } from './send/send-engine.worker.js';
import { erasureHandlers } from './report/erasure/erasure.consumer.js';
import { eraseSome } from './report/erasure/erasure.job.js';
import { ErasureRepository } from './report/erasure/erasure.repository.js';
import { RecipientGuardRepository } from './limits/recipient-guard.repository.js';
import { healthHandlers } from './report/health/deliverability.consumer.js';
import { implementHealthTools } from './report/health/deliverability.tools.js';
import { MailHoldRepository } from './hold/mail-hold.repository.js';
import { implementMailHoldRequests } from './hold/mail-hold.requests.js';
import { implementMessageRequests } from './accept/message.requests.js';
import { HitRepository } from './report/tracking/hit.repository.js';
import { hitDurable, HitWorker } from './report/tracking/hit.worker.js';
import { implementTrackingRequests } from './report/tracking/tracking.requests.js';
import { RenderPool } from './send/render/render-pool.worker.js';
import { BacklogRepository } from './metrics/backlog.repository.js';
import { observeBacklog, observeHits, observeMailHold, observeRelay } from './metrics/backlog.service.js';
import { meterOf } from './metrics/send-metrics.service.js';
import { emailHasher, mailboxHasher } from './message/address-hash.js';
import type { DeliverabilityEvent } from './message/message-events.js';
import { MessageRepository } from './message/message.repository.js';
import { KeptAnswerRepository } from './message/kept-answer.repository.js';
import { KeptAnswers } from './message/kept-answers.service.js';
import { signsFor } from './message/relay-signature.js';
import { SendingDomainSource } from './message/sending-domain.client.js';
import { StoredMessageRepository } from './accept/stored-message.repository.js';
import { preparedSql } from './send/prepared-sql.repository.js';
import { MailQuotaRepository } from './limits/mail-quota.repository.js';
import { implementFindMessage } from './report/inspection/find-message.requests.js';
import { implementInspectionTools } from './report/inspection/inspection.tools.js';
import { MessageSearchRepository } from './report/inspection/message-search.repository.js';
import { SendListRepository } from './report/inspection/send-list.repository.js';
import { RecipientRepository } from './report/recipient/recipient.repository.js';
import { implementRecipientRequests } from './report/recipient/recipient.requests.js';
import { subscriberData } from './report/recipient/subscriber-data.service.js';
import { SubscriberDataRepository } from './report/recipient/subscriber-data.repository.js';
import { AttemptMarkRepository } from './message/attempt-mark.repository.js';
import { SubscriberMailClient } from './message/subscriber-mail.client.js';
import { RenderPlanService } from './send/render/render-plan.service.js';
import { CampaignProgressUpdates } from './report/inspection/campaign-progress.service.js';
import { ProgressRepository } from './send/progress.repository.js';
import { SendRateRepository } from './send/send-rate.repository.js';
import { implementSendRateRequests } from './send/send-rate.requests.js';
import { SendRepository } from './send/send.repository.js';
import { implementSendRequests } from './send/send.requests.js';
import { SmtpListener } from './accept/smtp/smtp-listener.worker.js';
import { WorkflowMessageRepository } from './accept/workflow/workflow-message.repository.js';
import { retainedRows } from './retained-rows.js';

/** One statement at a time for each of four chunks, and one for the single messages. */
const engineConnections = 5;

const keptAnswers = ({ MASTER_KEY }: DeliveryConfig, { manager }: DataSource) =>
  new KeptAnswerRepository(manager, new SecretBox(MASTER_KEY, 'kept-answers'));

export const campaignMails = (
  config: DeliveryConfig,
  { dataSource, bus, log }: Pick<ServiceDependencies, 'dataSource' | 'bus' | 'log'>,
) =>
  new RenderPlanService({
    sends: new SendRepository(dataSource.manager),
    domain: bus.client(domainRequests),
    answers: new KeptAnswers(keptAnswers(config, dataSource), bus, log),
    linkKey: deriveKey(config.MASTER_KEY, 'links'),
    publicUrl: publicUrlOf(config),
  });

export const renderPool = ({ RENDER_THREADS: threads, RENDER_THREAD_URL: file }: DeliveryConfig, log: Logger) =>
  new RenderPool({ threads, file: new URL(file ?? './send/render/render-thread.worker.js', import.meta.url), log });

const hashEmailOf = ({ MASTER_KEY }: DeliveryConfig) => emailHasher(addressHasher(MASTER_KEY));

const publicUrlOf = ({ PUBLIC_URL }: DeliveryConfig): string => PUBLIC_URL.replace(/\/$/, '');

function smtpListeners(
  config: DeliveryConfig,
  { bus, contexts, log }: Pick<ServiceDependencies, 'contexts' | 'log'> & { bus: Bus },
) {
  const { SMTP_LISTEN_PORT: port, SMTP_LISTEN_HOST: host, SMTP_TLS_KEY_FILE: key, SMTP_TLS_CERT_FILE: cert } = config;
  if (port === undefined) return [];
  const tls = key && cert ? { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } : null;
  const { hostname: name } = new URL(config.PUBLIC_URL);
  const cell = { own: bus.namespace, home: bus.home, feedbackIn: (of: string) => bus.clientIn(of, feedbackRequests) };
  const mailHost = config.MAIL_HOST || name;
  return [new SmtpListener({ ...emailParts(config, { bus }), contexts, log, host, port, name, mailHost, tls, cell })];
}

export const emailParts = (config: DeliveryConfig, { bus }: Pick<ServiceDependencies, 'bus'>): EmailDependencies => ({
  domain: bus.client(domainRequests),
  sendingDomains: new SendingDomainSource(bus),
  subscribers: bus.client(subscriberRequests),
  lives: bus.client(subscriberLifeRequests),
  tokens: new LinkTokens(deriveKey(config.MASTER_KEY, 'links')),
  hashEmail: hashEmailOf(config),
  hashMailbox: mailboxHasher(addressHasher(config.MASTER_KEY)),
  publicUrl: publicUrlOf(config),
  content: new ContentCompiler({ threads: config.CONTENT_THREADS, file: config.CONTENT_THREAD_URL }),
  signs: signsFor(config.SMTP_DKIM),
});

const sendRequests: ImplementationFactory = ({ manager, outbox }) =>
  implementSendRequests({
    features: new FeatureRepository(manager),
    outbox,
    sends: new SendRepository(manager),
    progress: new ProgressRepository(manager),
    messages: new MessageRepository(manager),
    quota: new MailQuotaRepository(manager),
  });

const inspectionTools: ImplementationFactory = ({ manager }) =>
  implementInspectionTools({
    sends: new SendRepository(manager),
    progresses: new ProgressRepository(manager),
    lists: new SendListRepository(manager),
    messages: new MessageSearchRepository(manager),
    marks: new AttemptMarkRepository(manager),
  });

function implementAll(config: DeliveryConfig, parts: ServiceDependencies): readonly ImplementationFactory[] {
  const mails = campaignMails(config, parts);
  const emails = emailParts(config, parts);
  const settings = new OrganizationSettingsCache(parts.bus);
  const subscriberMails = new SubscriberMailClient(emails.lives, emails.hashEmail);
  return [
    sendRequests,
    ({ manager }) =>
      implementMessageRequests({
        ...emails,
        own: new StoredMessageRepository(manager),
        workflowMessages: new WorkflowMessageRepository(manager),
        quota: new MailQuotaRepository(manager),
      }),
    ({ manager }) =>
      implementTrackingRequests({
        messages: new MessageRepository(manager),
        marks: new AttemptMarkRepository(manager),
        hits: new HitRepository(manager),
        mails,
        subscribers: emails.subscribers,
      }),
    ({ manager, outbox }) =>
      implementRecipientRequests({
        outbox,
        sends: new SendRepository(manager),
        recipients: new RecipientRepository(manager),
        retention: new RetentionRepository(manager),
        quota: new MailQuotaRepository(manager),
      }),
    inspectionTools,
    ({ manager }) =>
      implementFindMessage({
        mails: subscriberMails,
        marks: new AttemptMarkRepository(manager),
        messages: new MessageSearchRepository(manager),
        progress: new ProgressRepository(manager),
      }),
    ({ manager }) => implementSendRateRequests(new SendRateRepository(manager)),
    subscriberDataFactory('delivery', ({ manager }) =>
      subscriberData(new SubscriberDataRepository(manager), subscriberMails),
    ),
    ({ manager }) => implementMailHoldRequests(new MailHoldRepository(manager)),
    (context) => implementEmailTools(context, emails),
    (context) => implementWrittenEmails(context, emails),
    () => implementFeedbackRequests({ contexts: parts.contexts, ...emails }),
    ({ manager }) => implementEngagementTools({ engagement: new EngagementRepository(manager), settings }),
    (context) =>
      implementHealthTools(context, {
        domains: parts.bus.client(domainTools),
        recipientTtlSeconds: config.RECIPIENT_CACHE_TTL_SECONDS,
      }),
  ];
}

function eventHandlersOf(
  config: DeliveryConfig,
  { dataSource: { manager }, metrics: { registry }, bus: { live } }: ServiceDependencies,
): EventHandlers {
  const progress = new CampaignProgressUpdates({
    lists: new SendListRepository(manager),
    progresses: new ProgressRepository(manager),
    live,
  });
  const note = (events: readonly DeliverabilityEvent[]) => {
    meterOf(registry).reported(events);
    progress.note(events);
  };
  return mergedHandlers(
    healthHandlers({ pausing: config.AUTO_PAUSE, note }),
    engagementHandlers(),
    progress.handlers,
    erasureHandlers,
  );
}

function workersOf(config: DeliveryConfig, parts: ServiceDependencies & { bus: Bus }): Worker[] {
  const { dataSource, bus, log, metrics } = parts;
  for (const problem of unreachableHosts(config)) log.warn(problem);
  const sql = preparedSql(dataSource, engineConnections);
  const mails = campaignMails(config, parts);
  observeCache(metrics.registry, 'render plans', mails);
  const engine = new SendEngine({
    ...parts,
    config,
    sql,
    meter: meterOf(metrics.registry),
    mails,
    renderPool: renderPool(config, log),
  });
  observeRelay(metrics.registry, engine);
  const hits = hitStream(bus, config.NATS_REPLICAS, config.HITS_MAX_MB * 1e6);
  observeHits(metrics.registry, () => hits.pending(hitDurable));
  const hitWorker = new HitWorker({ ...parts, stream: hits });
  return [...smtpListeners(config, parts), engine, hitWorker, storeRoomWarning({ ...parts, config })];
}

export const deliveryPlan = (config: DeliveryConfig): ServicePlan<DeliveryConfig> => ({
  service: 'delivery',
  config,
  migrations: [
    SharedTables1700000000000,
    CreateSend1700000000400,
    AddMessageTags1700000000410,
    CreateHealth1700000000420,
    IndexBounceReport1700000000430,
    AddMailQuota1700000000440,
    IndexDueMessages1700000000450,
    AddTrialNewestMessage1700000000460,
    CreateErasure1700000000470,
    KeepAddressHash1700000000480,
    CreateTestMessage1700000000490,
    CreateMailHold1700000000500,
    RememberWholeRequests1700000000900,
    CreateMasterKeyCheck1700000000950,
    KeepLateEvents1700000000970,
    CreateSendEngine1700000001120,
    IndexReportMessage1700000001130,
    CreateEngagementHour1700000001150,
    CreateKeptAnswer1700000001170,
    AttachPartitions1700000001195,
    CreateReplica1700000001200,
    AddLanePosition1700000001210,
    SetRetention1700000001220,
    PlanOutbox1700000001230,
    CreateLedger1700000001300,
    CreateGroupCommit1700000001310,
    CreateAnyMessage1700000001340,
    AddTrialSlots1700000001360,
    HoldOutbox1700000001390,
    EndChunks1700000001410,
    ShortenMailboxIndex1700000001480,
    CreateFairClaims1700000001500,
    ReadGuard1700000001510,
    ReadJournal1700000001520,
    ToastOutbox1700000001540,
  ],
  eventHandlers: (parts) => eventHandlersOf(config, parts),
  observe: ({ dataSource, metrics }) => {
    observeBacklog(metrics.registry, new BacklogRepository(dataSource.manager));
    observeMailHold(metrics.registry, new MailHoldRepository(dataSource.manager));
  },
  hasOlderReplica: ({ dataSource }) => hasOlderEngine(dataSource.manager),
  tools: (parts) => implementAll(config, parts),
  retained: retainedRows,
  jobs: (parts) => forgettingJobs(config, parts),
  workers: (parts) => workersOf(config, parts),
});

const forgettingJobs = (config: DeliveryConfig, { dataSource }: ServiceDependencies): Job[] => [
  {
    name: 'forget the recipient guard',
    everyMs: 3_600_000,
    untilNone: true,
    run: () => new RecipientGuardRepository(dataSource.manager).deleteOld(),
  },
  {
    name: 'forget deleted people',
    everyMs: 60_000,
    restMs: 3_600_000,
    untilNone: true,
    run: () => eraseSome(new ErasureRepository(dataSource.manager), hashEmailOf(config)),
  },
  {
    name: 'forget test messages',
    everyMs: 3_600_000,
    untilNone: true,
    run: () => new ErasureRepository(dataSource.manager).eraseTests(),
  },
  {
    name: 'forget old numbers of hours',
    everyMs: 3_600_000,
    untilNone: true,
    run: () => new EngagementRepository(dataSource.manager).deleteOld(),
  },
  {
    name: 'forget kept answers',
    everyMs: 3_600_000,
    untilNone: true,
    run: () => keptAnswers(config, dataSource).deleteOld(),
  },
  {
    name: 'forget bounce reports',
    everyMs: 3_600_000,
    untilNone: true,
    run: () => new BounceRepository(dataSource.manager).deleteOld(),
  },
  {
    name: 'forget chunks of ended sends',
    everyMs: 3_600_000,
    untilNone: true,
    run: () => new EndedChunkRepository(dataSource.manager).deleteOld(new Date(Date.now())),
  },
];

@Module({})
export class DeliveryModule {
  static of(config: DeliveryConfig): DynamicModule {
    return ServiceModule.of(DeliveryModule, deliveryPlan(config));
  }
}
