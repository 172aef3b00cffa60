import type { BackoffOptions } from '#concurrency';
import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import {
  CreateMasterKeyCheck1700000000950,
  RememberWholeRequests1700000000900,
  SharedTables1700000000000,
} from '#database';
import { deriveKey, SecretBox } from '#link-token';
import { PublicFetcher } from '#public-fetch';
import { OrganizationSettingsCache, ServiceModule } from '#service-host';
import type { ServiceParts, ServicePlan } from '#service-host';
import { CreateWorkflow1700000000500 } from '../migrations/1700000000500-create-workflow.js';
import { CreateEngine1700000000501 } from '../migrations/1700000000501-create-engine.js';
import { ShareStarts1700000000502 } from '../migrations/1700000000502-share-starts.js';
import { KeepArrivals1700000000503 } from '../migrations/1700000000503-keep-arrivals.js';
import { FindPlainSecrets1700000000510 } from '../migrations/1700000000510-find-plain-secrets.js';
import { EndEnrolments1700000000511 } from '../migrations/1700000000511-end-enrolments.js';
import { PauseCircles1700000001121 } from '../migrations/1700000001121-pause-circles.js';
import type { WorkflowConfig } from './config.js';
import { implementEmailRequests } from './authoring/email/email.requests.js';
import { DateTriggerWorker } from './engine/enrolment/date-trigger.worker.js';
import { JobWorker } from './engine/enrolment/enrolment-job.worker.js';
import { StartWorker } from './engine/enrolment/trigger.worker.js';
import { implementGroupTools } from './authoring/group/group.tools.js';
import { BacklogRepository } from './metrics/backlog.repository.js';
import { observeBacklog, observeLoops } from './metrics/backlog.service.js';
import { Bells } from './engine/loop/wake-signals.js';
import { CheckWorker } from './engine/run/filter-check.worker.js';
import type { Batch } from './engine/loop/work-item.js';
import { Loop } from './engine/loop/polling.worker.js';
import type { LoopOptions } from './engine/loop/polling.worker.js';
import { RunEngine } from './engine/run/run-engine.service.js';
import { implementRunTools } from './engine/run/run.tools.js';
import { StepPerformer } from './engine/run/step-executor.service.js';
import type { Organizations } from './engine/run/step-executor.service.js';
import { VersionCache } from './engine/run/version-cache.service.js';
import { watchHandlers } from './engine/run/subscriber-event.consumer.js';
import { WebhookClient } from './engine/run/webhook.client.js';
import { implementWorkflowLifeTools } from './authoring/workflow/workflow-lifecycle.tools.js';
import { PlainSecretRepository } from './secret/plain-secret.repository.js';
import { sealSecrets } from './secret/seal-secrets.job.js';
import { WebhookSecrets } from './secret/webhook-secrets.js';
import { CyclePauseWorker } from './engine/run/cycle-pause.worker.js';
import { SweepWorker } from './engine/run/status-change.worker.js';
import { implementWorkflowRequests } from './authoring/workflow/workflow.requests.js';
import { WorkflowRepository } from './engine/store/workflow.repository.js';
import { implementWorkflowTools } from './authoring/workflow/workflow.tools.js';

interface EngineLoopParts extends Pick<ServiceParts, 'contexts' | 'bus' | 'log'> {
  versions: VersionCache;
  bells: Bells;
  organizations: Organizations;
}

interface Claims {
  claim(): Promise<Batch[]>;
}

const secretsOf = ({ MASTER_KEY }: WorkflowConfig) => new WebhookSecrets(new SecretBox(MASTER_KEY, 'webhook-secrets'));

/** What moves runs, how often each looks for work when there is none and nobody rang, and how much it does at a time. */
export function engineLoops(
  config: WorkflowConfig,
  { contexts, bus, log, versions, bells, organizations }: EngineLoopParts,
): Omit<LoopOptions, 'log'>[] {
  const webhooks = new WebhookClient(
    { allowed: config.FETCH_ALLOWED_ADDRESSES, dnsServers: config.DNS_SERVERS },
    deriveKey(config.MASTER_KEY, 'webhooks'),
  );
  const performer = new StepPerformer({ bus, webhooks, organizations, secrets: secretsOf(config) });
  const parts = { contexts, bus, versions, log, bells };
  const of = (name: string, { lanes = 1, ...pace }: Partial<BackoffOptions> & { lanes?: number }, worker: Claims) => ({
    name,
    lanes,
    contexts,
    pace: { minMs: 1_000, maxMs: 5_000, ...pace },
    claim: () => worker.claim(),
  });
  const engine = new RunEngine({ ...parts, performer, leaseSeconds: config.WORKFLOW_LEASE_SECONDS });
  return [
    of('starts', { lanes: 4 }, new StartWorker(parts)),
    // Nobody commits anything when a timer runs out.
    of('runs', { maxMs: 2_000, lanes: 4 }, engine),
    of('checks', { lanes: 4 }, new CheckWorker(parts)),
    of('enrolments', { lanes: 2 }, new JobWorker(parts)),
    of('sweeps', {}, new SweepWorker(parts)),
    of('pauses', {}, new CyclePauseWorker(parts)),
    of('dates', { minMs: 30_000, maxMs: 30_000 }, new DateTriggerWorker(parts)),
  ];
}

/** The composition root: which parts each noun's tools are given, and what works in the background. */
export const workflowPlan = (config: WorkflowConfig): ServicePlan<WorkflowConfig> => {
  const bells = new Bells();
  const secrets = secretsOf(config);
  return {
    service: 'workflow',
    config,
    migrations: [
      SharedTables1700000000000,
      CreateWorkflow1700000000500,
      CreateEngine1700000000501,
      ShareStarts1700000000502,
      KeepArrivals1700000000503,
      FindPlainSecrets1700000000510,
      EndEnrolments1700000000511,
      RememberWholeRequests1700000000900,
      CreateMasterKeyCheck1700000000950,
      PauseCircles1700000001121,
    ],
    tools: ({ bus }) => {
      const versions = new VersionCache();
      const fetcher = new PublicFetcher({ allowed: config.FETCH_ALLOWED_ADDRESSES });
      return [
        ({ manager }) => implementWorkflowRequests({ workflows: new WorkflowRepository(manager) }),
        implementEmailRequests,
        (context) => implementWorkflowTools({ context, bus, fetcher, secrets }),
        (context) => implementWorkflowLifeTools({ context, bus, secrets }),
        (context) => implementRunTools({ context, bus, versions }),
        ({ manager }) => implementGroupTools({ manager, secrets }),
      ];
    },
    eventHandlers: () => watchHandlers({ versions: new VersionCache(), bells }),
    observe: ({ dataSource, metrics }) => observeBacklog(metrics.registry, new BacklogRepository(dataSource.manager)),
    jobs: ({ dataSource }) => [sealSecrets({ plain: new PlainSecretRepository(dataSource.manager), secrets })],
    workers: (parts) => {
      const loops = new Map<string, Loop>();
      const organizations = new OrganizationSettingsCache(parts.bus);
      for (const one of engineLoops(config, { ...parts, versions: new VersionCache(), bells, organizations })) {
        const loop = new Loop({ ...one, log: parts.log });
        bells.hang(one.name, () => loop.wake());
        loops.set(one.name, loop);
      }
      observeLoops(parts.metrics.registry, loops);
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
