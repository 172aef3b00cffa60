import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { workflowEnvironment } from './config.js';
import type { WorkflowConfig } from './config.js';
import { WorkflowModule } from './workflow.module.js';

/** Starts the workflow service in this process. */
export const boot = (config: WorkflowConfig) => bootService(WorkflowModule.of(config));

/** Reads and checks the settings of this process before it starts. */
export const prepare = (): Preparation => {
  const config = readEnvironment(workflowEnvironment);
  return { log: createLogger('workflow', config.LOG_LEVEL), start: () => boot(config) };
};
