import type { ServiceBus } from '#bus';
import type { CallContext } from '#service-host';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import { WorkflowRepository } from '../store/workflow.repository.js';
import type { CompiledVersion } from '../../rules/compiled-version.js';
import type { VersionCache } from './version-cache.service.js';

export interface RunDependencies {
  context: CallContext;
  bus: ServiceBus;
  versions: VersionCache;
}
export async function enrollable(
  { context: { manager }, versions }: RunDependencies,
  { workflowId, stepId }: { workflowId: string; stepId?: string | undefined },
  { organizationId }: Caller,
): Promise<CompiledVersion> {
  const { workflow } = await new WorkflowRepository(manager).get(organizationId, workflowId);
  if (workflow.status !== 'ACTIVE' || workflow.publishedVersion === null)
    throw new ToolError('WORKFLOW_NOT_ACTIVE', { status: workflow.status, pausedReason: workflow.pausedReason });
  const version = await versions.get(manager, organizationId, { workflowId, version: workflow.publishedVersion });
  if (stepId !== undefined && !version.has(stepId))
    throw new ToolError('STEP_NOT_FOUND', { stepId, steps: version.stepIds });
  return version;
}
