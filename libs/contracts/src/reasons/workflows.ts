import { missing, reason } from './reason.js';

export const workflowReasons = {
  WORKFLOW_NOT_FOUND: missing('workflow', 'list_workflows'),
  VERSION_NOT_FOUND: reason<{ version: number; published: number | null }>('NOT_FOUND', ({ version, published }) =>
    published === null
      ? `The workflow has no version ${version}: it was never published. Leave version out to use the draft.`
      : `The workflow has no version ${version}; its versions are 1 to ${published}.`,
  ),
  SIMULATION_NOT_FOUND: reason<{ id: string; by?: string }>(
    'NOT_FOUND',
    ({ id, by = 'id' }) =>
      `No simulation with ${by} "${id}" in this organization; results are kept for 7 days. Start one with simulate_workflow.`,
  ),
  RANGE_IN_FUTURE: reason<object>(
    'VALIDATION_ERROR',
    () => 'to must not be later than now: only past events are known.',
  ),
  GRAPH_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  WORKFLOW_NOT_PUBLISHED: reason<object>(
    'INVALID_STATE',
    () => 'The workflow was never published. Complete its draft and publish it with publish_workflow first.',
  ),
  WORKFLOW_ARCHIVED: reason<object>(
    'INVALID_STATE',
    () => 'The workflow is ARCHIVED and accepts no new version. Set another status with update_workflow_status first.',
  ),
  WORKFLOW_NOT_ACTIVE: reason<{ status: string; pausedReason?: string | null }>(
    'INVALID_STATE',
    ({ status, pausedReason }) =>
      `The workflow is ${status}; only an ACTIVE workflow accepts subscribers.${pausedReason ? ` Tidings paused it: ${pausedReason}` : ''}`,
  ),
  WORKFLOW_PAUSED: reason<object>(
    'INVALID_STATE',
    () => 'The workflow is PAUSED, and its timers are held. Set it ACTIVE with update_workflow_status first.',
  ),
  STEP_NOT_FOUND: reason<{ stepId: string; steps: readonly string[] }>(
    'NOT_FOUND',
    ({ stepId, steps }) => `The published version has no step "${stepId}"; its steps are ${steps.join(', ')}.`,
  ),
  ENROLMENT_SKIPPED: reason<{ why: string }>('INVALID_STATE', ({ why }) => `The subscriber was not enrolled: ${why}.`),
  RUN_NOT_FOUND: missing('run of this workflow and subscriber', 'get_subscriber_workflow_runs'),
  RUN_NOT_WAITING: reason<object>(
    'INVALID_STATE',
    () => 'No run of this subscriber waits at a WAIT or WAIT_UNTIL step of this workflow.',
  ),
  WAIT_OVER: reason<{ stepId: string; status: string; currentStepId: string }>(
    'CONFLICT',
    ({ stepId, status, currentStepId }) =>
      `The wait at step "${stepId}" ended during this call. The run is ${status} at step "${currentStepId}". Call again to end its next wait.`,
  ),
  RUNS_AMBIGUOUS: reason<{ runIds: readonly string[] }>(
    'CONFLICT',
    ({ runIds }) => `Several runs are waiting. Select one with workflowSubscriberId: ${runIds.join(', ')}.`,
  ),
  WORKFLOW_GROUP_NOT_FOUND: missing('workflow group', 'list_workflow_groups'),
  WORKFLOW_GROUP_NAME_TAKEN: reason<{ name: string; groupId: string }>(
    'CONFLICT',
    ({ name, groupId }) =>
      `A workflow group named "${name}" already exists (${groupId}). Group names are compared without case.`,
  ),
  WORKFLOW_GROUP_NAME_DIFFERS: reason<{ name: string }>(
    'CONFLICT',
    ({ name }) => `The group is named "${name}", which is not the expected name. Nothing was deleted.`,
  ),
  WORKFLOW_GROUP_IN_USE: reason<{ name: string; users: readonly string[] }>(
    'CONFLICT',
    ({ name, users }) =>
      `The workflow group "${name}" has ${users.join(', ')}. Detach them with set_workflow_group first, or repeat with unassignWorkflows true.`,
  ),
};
