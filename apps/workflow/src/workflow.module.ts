import type { BackoffOptions } from '#concurrency';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
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
import { deriveKey, SecretBox } from '#link-token';
import { PublicFetcher } from '#public-fetch';
import { observeCache, OrganizationSettingsCache, ServiceModule, subscriberDataFactory } from '#service-host';
import type { ServiceDependencies, ServicePlan } from '#service-host';
import { CreateWorkflow1700000000500 } from '../migrations/1700000000500-create-workflow.js';
import { CreateEngine1700000000501 } from '../migrations/1700000000501-create-engine.js';
import { ShareStarts1700000000502 } from '../migrations/1700000000502-share-starts.js';
import { KeepArrivals1700000000503 } from '../migrations/1700000000503-keep-arrivals.js';
import { FindPlainSecrets1700000000510 } from '../migrations/1700000000510-find-plain-secrets.js';
import { EndEnrolments1700000000511 } from '../migrations/1700000000511-end-enrolments.js';
import { PauseCircles1700000001121 } from '../migrations/1700000001121-pause-circles.js';
import { CreateSimulation1700000001160 } from '../migrations/1700000001160-create-simulation.js';
import { SetRetention1700000001220 } from '../migrations/1700000001220-set-retention.js';
import { ShareDueRuns1700000001530 } from '../migrations/1700000001530-share-due-runs.js';
import { ShareDueChecks1700000001550 } from '../migrations/1700000001550-share-due-checks.js';
import { IndexUnfinishedRuns1700000001560 } from '../migrations/1700000001560-index-unfinished-runs.js';
import { IndexTimesByOrganization1700000001570 } from '../migrations/1700000001570-index-times-by-organization.js';
import { ClaimStartRequests1700000001580 } from '../migrations/1700000001580-claim-start-requests.js';
import type { WorkflowConfig } from './config.js';
import { implementEmailRequests } from './authoring/email/email.requests.js';
import { DateTriggerWorker } from './engine/enrolment/date-trigger.worker.js';
import { EnrolmentJobWorker } from './engine/enrolment/enrolment-job.worker.js';
import { TriggerWorker } from './engine/enrolment/trigger.worker.js';
import { SimulationWorker } from './engine/simulation/simulation.worker.js';
import { SimulationRepository } from './engine/store/simulation.repository.js';
import { implementWorkflowSimulationTools } from './authoring/simulation/simulation.tools.js';
import { implementGroupTools } from './authoring/group/group.tools.js';
import { BacklogRepository } from './metrics/backlog.repository.js';
import { observeBacklog, observeLoops } from './metrics/backlog.service.js';
import { WakeSignals } from './engine/loop/wake-signals.js';
import { FilterCheckWorker } from './engine/run/filter-check.worker.js';
import type { WorkItem } from './engine/loop/work-item.js';
import { WorkItemWorker } from './engine/loop/work-item.worker.js';
import type { WorkItemWorkerOptions } from './engine/loop/work-item.worker.js';
import { RunEngine } from './engine/run/run-engine.service.js';
import { implementRunTools } from './engine/run/run.tools.js';
import { StepExecutor } from './engine/run/step-executor.service.js';
import type { Organizations } from './engine/run/step-executor.service.js';
import { VersionCache } from './engine/run/version-cache.service.js';
import { lateWatchHandlers, lockRuns, watchHandlers } from './engine/run/subscriber-event.consumer.js';
import { WebhookClient } from './engine/run/webhook.client.js';
import { implementWorkflowLifecycleTools } from './authoring/workflow/workflow-lifecycle.tools.js';
import { PlainSecretRepository } from './secret/plain-secret.repository.js';
import { sealSecrets } from './secret/seal-secrets.job.js';
import { WebhookSecrets } from './secret/webhook-secrets.js';
import { CyclePauseWorker } from './engine/run/cycle-pause.worker.js';
import { StatusChangeWorker } from './engine/run/status-change.worker.js';
import { implementExplainWorkflow } from './engine/run/explain-workflow.requests.js';
import { implementWorkflowRequests } from './authoring/workflow/workflow.requests.js';
import { SubscriberDataRepository } from './engine/store/subscriber-data.repository.js';
import { WorkflowRepository } from './engine/store/workflow.repository.js';
import { implementWorkflowInsightTools } from './authoring/workflow/workflow-insight.tools.js';
import { implementWorkflowTools } from './authoring/workflow/workflow.tools.js';
import { retainedRows } from './retained-rows.js';

interface EngineLoopDependencies extends Pick<ServiceDependencies, 'contexts' | 'bus' | 'log'> {
  versions: VersionCache;
  wakeSignals: WakeSignals;
  organizations: Organizations;
}

interface Claims {
  claim(): Promise<WorkItem[]>;
}

const secretsOf = ({ MASTER_KEY }: WorkflowConfig) => new WebhookSecrets(new SecretBox(MASTER_KEY, 'webhook-secrets'));

export function engineLoops(
  config: WorkflowConfig,
  { contexts, bus, log, versions, wakeSignals, organizations }: EngineLoopDependencies,
): Omit<WorkItemWorkerOptions, 'log'>[] {
  const webhooks = new WebhookClient(
    { allowed: config.FETCH_ALLOWED_ADDRESSES, dnsServers: config.DNS_SERVERS },
    deriveKey(config.MASTER_KEY, 'webhooks'),
  );
  const executor = new StepExecutor({ bus, webhooks, organizations, secrets: secretsOf(config) });
  const parts = { contexts, bus, versions, log, wakeSignals: wakeSignals };
  const of = (
    name: string,
    { concurrency = 1, ...pace }: Partial<BackoffOptions> & { concurrency?: number },
    worker: Claims,
  ) => ({
    name,
    concurrency,
    contexts,
    pace: { minMs: 1_000, maxMs: 5_000, ...pace },
    claim: () => worker.claim(),
  });
  const engine = new RunEngine({ ...parts, executor, leaseSeconds: config.WORKFLOW_LEASE_SECONDS });
  return [
    of('starts', { concurrency: 4 }, new TriggerWorker(parts)),
    // No commit announces that a timer has expired.
    of('runs', { maxMs: 2_000, concurrency: 4 }, engine),
    of('checks', { concurrency: 4 }, new FilterCheckWorker(parts)),
    of('enrolments', { concurrency: 2 }, new EnrolmentJobWorker(parts)),
    of('sweeps', {}, new StatusChangeWorker(parts)),
    of('pauses', {}, new CyclePauseWorker(parts)),
    of('simulations', { concurrency: 2 }, new SimulationWorker(parts)),
    of('dates', { minMs: 30_000, maxMs: 30_000 }, new DateTriggerWorker(parts)),
  ];
}

const migrations = [
  SharedTables1700000000000,
  CreateWorkflow1700000000500,
  CreateEngine1700000000501,
  ShareStarts1700000000502,
  KeepArrivals1700000000503,
  FindPlainSecrets1700000000510,
  EndEnrolments1700000000511,
  RememberWholeRequests1700000000900,
  CreateMasterKeyCheck1700000000950,
  KeepLateEvents1700000000970,
  PauseCircles1700000001121,
  CreateSimulation1700000001160,
  AttachPartitions1700000001195,
  CreateReplica1700000001200,
  AddLanePosition1700000001210,
  SetRetention1700000001220,
  PlanOutbox1700000001230,
  HoldOutbox1700000001390,
  ShareDueRuns1700000001530,
  ToastOutbox1700000001540,
  ShareDueChecks1700000001550,
  IndexUnfinishedRuns1700000001560,
  IndexTimesByOrganization1700000001570,
  ClaimStartRequests1700000001580,
];

export const workflowPlan = (config: WorkflowConfig): ServicePlan<WorkflowConfig> => {
  const wakeSignals = new WakeSignals();
  const versions = new VersionCache();
  const secrets = secretsOf(config);
  return {
    service: 'workflow',
    config,
    migrations,
    tools: ({ bus }) => {
      const fetcher = new PublicFetcher({ allowed: config.FETCH_ALLOWED_ADDRESSES });
      return [
        ({ manager }) => implementWorkflowRequests({ workflows: new WorkflowRepository(manager) }),
        (context) => implementExplainWorkflow({ context, versions }),
        implementEmailRequests,
        subscriberDataFactory('workflow', ({ manager }) => new SubscriberDataRepository(manager)),
        (context) => implementWorkflowTools({ context, bus, fetcher, secrets }),
        (context) => implementWorkflowLifecycleTools({ context, bus, secrets }),
        (context) => implementRunTools({ context, bus, versions }),
        (context) => implementWorkflowInsightTools({ context, bus, versions, fetcher, secrets }),
        (context) => implementWorkflowSimulationTools({ context, bus, secrets, wakeSignals }),
        ({ manager }) => implementGroupTools({ manager, secrets }),
      ];
    },
    eventHandlers: () => watchHandlers({ versions, wakeSignals }),
    lockForEvents: lockRuns,
    lateEvents: () => lateWatchHandlers({ versions, wakeSignals }),
    observe: ({ dataSource, metrics }) => observeBacklog(metrics.registry, new BacklogRepository(dataSource.manager)),
    retained: retainedRows,
    jobs: ({ dataSource }) => [
      sealSecrets({ plain: new PlainSecretRepository(dataSource.manager), secrets }),
      {
        name: 'delete old simulations',
        everyMs: 3_600_000,
        untilNone: true,
        run: () => new SimulationRepository(dataSource.manager).deleteOld(),
      },
    ],
    workers: (parts) => {
      const loops = new Map<string, WorkItemWorker>();
      const organizations = new OrganizationSettingsCache(parts.bus);
      for (const one of engineLoops(config, { ...parts, versions, wakeSignals, organizations })) {
        const loop = new WorkItemWorker({ ...one, log: parts.log });
        wakeSignals.register(one.name, () => loop.wake());
        loops.set(one.name, loop);
      }
      observeLoops(parts.metrics.registry, loops);
      observeCache(parts.metrics.registry, 'workflow versions', versions);
      return [...loops.values()];
    },
  };
};

@Module({})
export class WorkflowModule {
  static of(config: WorkflowConfig): DynamicModule {
    return ServiceModule.of(WorkflowModule, workflowPlan(config));
  }
}
