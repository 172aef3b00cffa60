import type { WorkflowStatus } from '#contracts';
import type { CallContext } from '#service-host';
import type { Caller } from '#tool-call';
import { EnrolmentJobRepository } from '../store/enrolment-job.repository.js';
import { TransitionBuilder } from '../../rules/run-transition.js';
import type { CompiledVersion } from '../../rules/compiled-version.js';
import type { Run, Transition } from '../../rules/run.js';
import { RunTransitionRepository } from '../store/run-transition.repository.js';
import { RunRepository } from '../store/run.repository.js';
import { VersionCache } from './version-cache.service.js';
import type { Workflow } from '../../rules/workflow.js';
import { WorkflowRepository } from '../store/workflow.repository.js';

/** Most runs ended within one call; the rest follow in the background. */
const canceledAtOnce = 500;

/**
 * Sets the status of a workflow that the caller's transaction has locked, and requests the change of its runs.
 * @param pausedReason why the system pauses it; null for a change by a user
 */
export async function changeStatus(
  context: Pick<CallContext, 'manager' | 'outbox'>,
  workflow: Workflow,
  status: WorkflowStatus,
  { organizationId, now }: Pick<Caller, 'organizationId' | 'now'>,
  pausedReason: string | null = null,
): Promise<Workflow> {
  const workflows = new WorkflowRepository(context.manager);
  // Open runs of an archived workflow end before new ones may start.
  if (workflow.status === 'ARCHIVED') while ((await cancelSome(context, organizationId, workflow.id, 'wait')) > 0);
  const changed = await workflows.updateStatus(organizationId, workflow.id, { status, pausedReason }, now);
  const sweep = status === 'ARCHIVED' ? 'CANCEL' : status === 'ACTIVE' ? 'RELEASE' : null;
  await workflows.updateSweep(organizationId, workflow.id, sweep);
  context.outbox.notify({ name: 'workflow.changed', id: workflow.id, organization: organizationId });
  if (status === 'ARCHIVED') {
    const failure = 'WORKFLOW_ARCHIVED: the workflow was archived before its audience was enrolled';
    await new EnrolmentJobRepository(context.manager).updateFailedOfWorkflow(organizationId, workflow.id, failure);
    await cancelSome(context, organizationId, workflow.id);
  }
  return changed;
}

export const archive = (context: Pick<CallContext, 'manager' | 'outbox'>, workflow: Workflow, caller: Caller) =>
  changeStatus(context, workflow, 'ARCHIVED', caller);

/**
 * @param held whether to wait for runs locked by other processes or to skip them
 * @returns how many
 */
export async function cancelSome(
  { manager, outbox }: Pick<CallContext, 'manager' | 'outbox'>,
  organizationId: string,
  workflowId: string,
  held: 'wait' | 'skip' = 'skip',
): Promise<number> {
  const runs = new RunRepository(manager);
  const found = await runs.lockOfWorkflow(organizationId, workflowId, { limit: canceledAtOnce, held });
  const now = await runs.getNow();
  const versions = new VersionCache();
  const transitions: Transition[] = [];
  for (const run of found)
    transitions.push(canceled(run, await versions.get(manager, organizationId, run), now, 'WORKFLOW_ARCHIVED'));
  await new RunTransitionRepository({ sql: manager, outbox }, now).record(transitions);
  return found.length;
}

export const canceled = (
  run: Run,
  version: CompiledVersion,
  now: Date,
  reason: string,
  data: Record<string, unknown> = {},
): Transition => new TransitionBuilder(run, version, now).end('CANCELED', reason, data).transition();
