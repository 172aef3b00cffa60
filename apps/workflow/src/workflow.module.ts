import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { SharedTables1700000000000 } from '#database';
import { ServiceModule } from '#service-host';
import type { ServiceConfig, ServicePlan } from '#service-host';
import { CreateWorkflow1700000000500 } from '../migrations/1700000000500-create-workflow.js';
import { implementWorkflowRequests } from './workflow/workflow.requests.js';
import { WorkflowRepository } from './workflow/workflow.repository.js';

/** The composition root of the workflow service: its schema, and what other services ask of it; it serves no tool yet. */
export const workflowPlan = (config: ServiceConfig): ServicePlan => ({
  service: 'workflow',
  config,
  migrations: [SharedTables1700000000000, CreateWorkflow1700000000500],
  tools: () => [({ manager }) => implementWorkflowRequests({ workflows: new WorkflowRepository(manager) })],
});

@Module({})
export class WorkflowModule {
  static of(config: ServiceConfig): DynamicModule {
    return ServiceModule.of(WorkflowModule, workflowPlan(config));
  }
}
