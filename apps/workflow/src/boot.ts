import { bootService } from '#service-host';
import type { WorkflowConfig } from './config.js';
import { WorkflowModule } from './workflow.module.js';

/** Starts the workflow service in this process. */
export const boot = (config: WorkflowConfig) => bootService(WorkflowModule.of(config));
