import { bootService } from '#service-host';
import type { ServiceConfig } from '#service-host';
import { WorkflowModule } from './workflow.module.js';

/** Starts the workflow service in this process. */
export const boot = (config: ServiceConfig) => bootService(WorkflowModule.of(config));
