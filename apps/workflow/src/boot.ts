import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { workflowEnvironment } from './config.js';
import type { WorkflowConfig } from './config.js';
import { WorkflowModule } from './workflow.module.js';

export const boot = (config: WorkflowConfig) => bootService(WorkflowModule.of(config));

export const prepare = (): Preparation => {
  const config = readEnvironment(workflowEnvironment);
  return { log: createLogger('workflow', config.LOG_LEVEL), start: () => boot(config) };
};
