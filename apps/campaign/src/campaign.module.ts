import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ContentCompiler } from '#content';
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
import type { Sql } from '#database';
import type { ServiceBus } from '#bus';
import { OrganizationSettingsCache, ServiceModule } from '#service-host';
import type { CallContext, ImplementationFactory, ServicePlan } from '#service-host';
import { CreateCampaign1700000000300 } from '../migrations/1700000000300-create-campaign.js';
import { CreateImage1700000000301 } from '../migrations/1700000000301-create-image.js';
import { AddRetry1700000000302 } from '../migrations/1700000000302-add-retry.js';
import { ImageElsewhere1700000000303 } from '../migrations/1700000000303-image-elsewhere.js';
import { CountCampaignHours1700000000620 } from '../migrations/1700000000620-count-campaign-hours.js';
import { HoldChangedCampaigns1700000000640 } from '../migrations/1700000000640-hold-changed-campaigns.js';
import { FindUnreleasedAudiences1700000000650 } from '../migrations/1700000000650-find-unreleased-audiences.js';
import { CampaignReferenceRepository } from './campaign/campaign-reference.repository.js';
import { implementCampaignControlTools } from './campaign/campaign-control.tools.js';
import { implementCampaignLifeTools } from './campaign/campaign-lifecycle.tools.js';
import type { CampaignDependencies } from './campaign/campaign.service.js';
import { implementCampaignReportTools } from './campaign/campaign-report.tools.js';
import { CampaignSearchRepository } from './campaign/campaign-search.repository.js';
import { implementExplainCampaign } from './campaign/explain-campaign.requests.js';
import { CampaignRepository } from './campaign/campaign.repository.js';
import { implementCampaignRequests } from './campaign/campaign.requests.js';
import { implementCampaignTools } from './campaign/campaign.tools.js';
import { V1CampaignRepository } from './campaign/v1-campaign.repository.js';
import { implementCampaignViewRequests } from './campaign/v1-campaign.requests.js';
import type { CampaignConfig } from './config.js';
import { ContentService } from './content/content.service.js';
import { MailComposer } from './content/mail-composer.service.js';
import { HistoryRepository } from './history/history.repository.js';
import { ObjectStorage } from './image/object-storage.client.js';
import { ImageRepository } from './image/image.repository.js';
import { implementImageRequests, implementImageTools } from './image/image.tools.js';
import { PublicFetcher } from '#public-fetch';
import { BacklogRepository } from './metrics/backlog.repository.js';
import { observeBacklog } from './metrics/backlog.service.js';
import { releaseAudiences } from './send/audience-release.job.js';
import { askAgainForHeld } from './send/held-campaign.job.js';
import { implementRecipientRequests } from './send/recipient.requests.js';
import { sendHandlers } from './send/send.consumer.js';
import { SendRepository } from './send/send.repository.js';
import { SendStarter } from './send/send-start.worker.js';
import { SenderClient } from './sender/sender.client.js';
import { implementSkillTools } from './skill/skill.tools.js';
import { SnippetRepository } from './snippet/snippet.repository.js';
import { implementSnippetTools } from './snippet/snippet.tools.js';
import { statisticHandlers } from './analytics/campaign-counter.consumer.js';
import { CampaignCounterRepository } from './analytics/campaign-counter.repository.js';
import { implementWebTools } from './web/web.tools.js';
import { WritingStyleRepository } from './writing-style/writing-style.repository.js';
import { implementWritingStyleTools } from './writing-style/writing-style.tools.js';

const composer = (sql: Sql, bus: ServiceBus, content: ContentService) =>
  new MailComposer({ snippets: new SnippetRepository(sql), content, bus });

type Shared = Pick<CampaignDependencies, 'bus' | 'settings'> & { content: ContentService };

const campaignParts = (
  { manager, transaction }: CallContext,
  { content, ...shared }: Shared,
): CampaignDependencies => ({
  campaigns: new CampaignRepository(manager),
  composer: composer(manager, shared.bus, content),
  senders: new SenderClient(shared.bus),
  ...shared,
  transaction,
});

const imageStorage = (config: Pick<CampaignConfig, 'S3_ENDPOINT' | 'S3_BUCKET' | 'S3_REGION' | 'S3_KEY'>) =>
  config.S3_ENDPOINT && config.S3_BUCKET && config.S3_KEY
    ? new ObjectStorage({
        endpoint: config.S3_ENDPOINT,
        bucket: config.S3_BUCKET,
        region: config.S3_REGION,
        ...config.S3_KEY,
      })
    : null;

const imageParts = ({ manager }: CallContext, { PUBLIC_URL, ...storage }: CampaignConfig, fetcher: PublicFetcher) => ({
  images: new ImageRepository(manager),
  storage: imageStorage(storage),
  fetcher,
  publicUrl: PUBLIC_URL,
});

const campaignRequestFactories = (shared: Shared) => [
  (context: CallContext) =>
    implementCampaignRequests({
      ...campaignParts(context, shared),
      lookups: new CampaignReferenceRepository(context.manager),
    }),
  (context: CallContext) =>
    implementCampaignViewRequests({
      ...campaignParts(context, shared),
      views: new V1CampaignRepository(context.manager),
    }),
];

function implementAll(
  config: CampaignConfig,
  bus: ServiceBus,
  content: ContentService,
): readonly ImplementationFactory[] {
  const shared = { bus, content, settings: new OrganizationSettingsCache(bus) };
  const fetcher = new PublicFetcher({ allowed: config.FETCH_ALLOWED_ADDRESSES, dnsServers: config.DNS_SERVERS });
  return [
    (context) => implementCampaignTools(campaignParts(context, shared)),
    (context) =>
      implementCampaignLifeTools({
        ...campaignParts(context, shared),
        history: new HistoryRepository(context.manager),
        statistics: new CampaignCounterRepository(context.manager),
      }),
    (context) =>
      implementCampaignControlTools({
        ...campaignParts(context, shared),
        sends: new SendRepository(context.manager),
        views: new V1CampaignRepository(context.manager),
      }),
    (context) =>
      implementCampaignReportTools({
        ...campaignParts(context, shared),
        statistics: new CampaignCounterRepository(context.manager),
        searches: new CampaignSearchRepository(context.manager),
      }),
    ({ manager, transaction }) =>
      implementSnippetTools({
        snippets: new SnippetRepository(manager),
        composer: composer(manager, bus, content),
        transaction,
      }),
    ({ manager }) => implementSkillTools({ snippets: new SnippetRepository(manager), bus }),
    (context) => implementImageTools({ ...campaignParts(context, shared), ...imageParts(context, config, fetcher) }),
    (context) => implementImageRequests(imageParts(context, config, fetcher)),
    () => implementWebTools({ fetcher, content }),
    ({ manager }) => implementWritingStyleTools({ styles: new WritingStyleRepository(manager) }),
    ...campaignRequestFactories(shared),
    ({ manager }) => implementExplainCampaign(new CampaignRepository(manager)),
    ({ manager }) =>
      implementRecipientRequests({
        campaigns: new CampaignRepository(manager),
        sends: new SendRepository(manager),
        bus,
      }),
  ];
}

export function campaignPlan(config: CampaignConfig): ServicePlan<CampaignConfig> {
  const content = new ContentService(
    new ContentCompiler({ threads: config.CONTENT_THREADS, file: config.CONTENT_THREAD_URL }),
  );
  return {
    service: 'campaign',
    config,
    migrations: [
      SharedTables1700000000000,
      CreateCampaign1700000000300,
      CreateImage1700000000301,
      AddRetry1700000000302,
      ImageElsewhere1700000000303,
      CountCampaignHours1700000000620,
      HoldChangedCampaigns1700000000640,
      FindUnreleasedAudiences1700000000650,
      RememberWholeRequests1700000000900,
      CreateMasterKeyCheck1700000000950,
      KeepLateEvents1700000000970,
      AttachPartitions1700000001195,
      CreateReplica1700000001200,
      AddLanePosition1700000001210,
      PlanOutbox1700000001230,
      HoldOutbox1700000001390,
      ToastOutbox1700000001540,
    ],
    tools: ({ bus }) => implementAll(config, bus, content),
    eventHandlers: () => ({ ...sendHandlers, ...statisticHandlers }),
    // Mail without a campaign is not counted here.
    concernedBy: ({ data }) => (data as { campaignId?: string | null }).campaignId !== null,
    observe: ({ dataSource, metrics }) => observeBacklog(metrics.registry, new BacklogRepository(dataSource.manager)),
    workers: ({ dataSource: { manager }, bus, log }) => [
      new SendStarter({
        sends: new SendRepository(manager),
        composer: composer(manager, bus, content),
        senders: new SenderClient(bus),
        bus,
        log,
        leaseMs: config.CAMPAIGN_LEASE_SECONDS * 1_000,
        pollIntervalMs: 5_000,
      }),
    ],
    onReady: ({ log }) => {
      const allowed = [...config.FETCH_ALLOWED_ADDRESSES];
      if (allowed.length > 0) log.warn({ allowed }, 'fetching tools may reach these addresses, public or not');
      return Promise.resolve({});
    },
    jobs: ({ dataSource: { manager }, bus, log }) => [
      releaseAudiences({ sends: new SendRepository(manager), bus, log }),
      askAgainForHeld({ sends: new SendRepository(manager), bus, log }),
    ],
  };
}

@Module({})
export class CampaignModule {
  static of(config: CampaignConfig): DynamicModule {
    return ServiceModule.of(CampaignModule, campaignPlan(config));
  }
}
