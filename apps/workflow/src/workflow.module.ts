import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { SharedTables1700000000000 } from '#database';
import { deriveKey } from '#link-token';
import { observedGauge } from '#observability';
import { ServiceModule } from '#service-host';
import type { ServiceParts, ServicePlan } from '#service-host';
import { CreateWorkflow1700000000500 } from '../migrations/1700000000500-create-workflow.js';
import { CreateEngine1700000000501 } from '../migrations/1700000000501-create-engine.js';
import type { WorkflowConfig } from './config.js';
import { implementEmailRequests } from './email/email.requests.js';
import { DateTriggerWorker } from './enrolment/date-trigger.worker.js';
import { JobWorker } from './enrolment/job.worker.js';
import { StartWorker } from './enrolment/start.worker.js';
import { implementGroupTools } from './group/group.tools.js';
import { Bells } from './run/bells.js';
import { CheckWorker } from './run/check.worker.js';
import { Loop } from './run/loop.worker.js';
import { RunEngine } from './run/run.engine.js';
import { implementRunTools } from './run/run.tools.js';
import { StepPerformer } from './run/step.performer.js';
import { VersionCache } from './run/version.cache.js';
import { watchHandlers } from './run/watch.consumer.js';
import { WebhookClient } from './run/webhook.client.js';
import { implementWorkflowLifeTools } from './workflow/life.tools.js';
import { SweepWorker } from './workflow/sweep.worker.js';
import { implementWorkflowRequests } from './workflow/workflow.requests.js';
import { WorkflowRepository } from './workflow/workflow.repository.js';
import { implementWorkflowTools } from './workflow/workflow.tools.js';

interface EngineLoopParts extends Pick<ServiceParts, 'contexts' | 'bus' | 'log'> {
  versions: VersionCache;
  bells: Bells;
}

/** What moves runs, and how often each looks for work when there is none and nobody rang. */
export function engineLoops(
  config: WorkflowConfig,
  { contexts, bus, log, versions, bells }: EngineLoopParts,
): { name: string; idleMs: number; step: () => Promise<number> }[] {
  const webhooks = new WebhookClient({ allowed: config.FETCH_ALLOW }, deriveKey(config.MASTER_KEY, 'webhooks'));
  const performer = new StepPerformer({ bus, webhooks });
  const parts = { contexts, bus, versions, log, bells };
  const of = (name: string, idleMs: number, worker: { step(): Promise<number> }) => ({
    ...{ name, idleMs, step: () => worker.step() },
  });
  return [
    of('starts', 1_000, new StartWorker(parts)),
    of('runs', 1_000, new RunEngine({ ...parts, performer, leaseSeconds: config.WORKFLOW_LEASE_SECONDS })),
    of('checks', 2_000, new CheckWorker(parts)),
    of('enrolments', 1_000, new JobWorker(parts)),
    of('sweeps', 2_000, new SweepWorker(parts)),
    of('dates', 30_000, new DateTriggerWorker(parts)),
  ];
}

/** The composition root: which parts each noun's tools are given, and what works in the background. */
export const workflowPlan = (config: WorkflowConfig): ServicePlan<WorkflowConfig> => {
  const bells = new Bells();
  return {
    service: 'workflow',
    config,
    migrations: [SharedTables1700000000000, CreateWorkflow1700000000500, CreateEngine1700000000501],
    tools: ({ bus }) => {
      const versions = new VersionCache();
      return [
        ({ manager }) => implementWorkflowRequests({ workflows: new WorkflowRepository(manager) }),
        implementEmailRequests,
        (context) => implementWorkflowTools({ context, bus }),
        (context) => implementWorkflowLifeTools({ context, bus }),
        (context) => implementRunTools({ context, bus, versions }),
        implementGroupTools,
      ];
    },
    eventHandlers: () => watchHandlers({ versions: new VersionCache(), bells }),
    workers: (parts) =>
      engineLoops(config, { ...parts, versions: new VersionCache(), bells }).map((one) => {
        const loop = new Loop({ ...one, log: parts.log });
        bells.hang(one.name, () => loop.wake());
        const name = `tidings_workflow_${one.name}_silence_seconds`;
        observedGauge(parts.metrics.registry, name, `Seconds since a step of ${one.name} ended`, () =>
          Promise.resolve(loop.silence),
        );
        return loop;
      }),
  };
};

@Module({})
export class WorkflowModule {
  static of(config: WorkflowConfig): DynamicModule {
    return ServiceModule.of(WorkflowModule, workflowPlan(config));
  }
}
