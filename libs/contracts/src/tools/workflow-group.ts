import { z } from 'zod';
import { idText, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { workflow, workflowSummary } from './workflow.js';

export const conflictStrategies = ['CANCEL_EXISTING', 'SKIP_NEW', 'RUN_FIRST_STEP'] as const;
export type ConflictStrategy = (typeof conflictStrategies)[number];
const conflictStrategy = z.enum(conflictStrategies);

export const workflowGroup = z.object({
  id: z.string(),
  name: z.string(),
  conflictStrategy,
  workflowsCount: z.int(),
  updatedAt: timestamp,
});

const groupName = z.string().trim().min(1).max(255);
const byId = { groupId: idText };
const expectedUpdatedAt = z.string().min(1).max(64).describe('The exact updatedAt of a fresh read');
const one = z.object({ group: workflowGroup, groupId: z.string() });
const future = 'Changes apply to future enrolments only.';

export const workflowGroupTools = defineTools('workflow', {
  list_workflow_groups: {
    summary: 'Lists workflow groups with their conflict strategy and the number of assigned workflows.',
    category: 'workflows',
    scope: 'read',
    input: z.strictObject({
      query: z.string().max(255).optional().describe('Substring of the name, without case'),
      limit: pageSize(1000, 50),
    }),
    output: z.object({ groups: z.array(workflowGroup), total: z.int() }),
    errors: [],
    transaction: 'read',
    keywords: 'folders of automations, collections, show, which, sorted into, all folders, overview',
    example: {},
  },
  get_workflow_group: {
    summary: 'Returns a group with its workflows and the number of unfinished runs of each.',
    category: 'workflows',
    scope: 'read',
    input: z.strictObject(byId),
    output: one.extend({
      workflows: z.array(workflowSummary),
      activeRuns: z.array(z.object({ workflowId: z.string(), count: z.int() })),
    }),
    errors: ['WORKFLOW_GROUP_NOT_FOUND'],
    transaction: 'read',
    keywords: 'open a folder of automations, what is in a collection, one folder',
    example: { groupId: '{groupId}' },
  },
  create_workflow_group: {
    summary: 'Creates a group. Its strategy applies when a subscriber enters one of its workflows while in another.',
    category: 'workflows',
    scope: 'write',
    idempotent: true,
    rules: [
      'CANCEL_EXISTING ends the other runs, SKIP_NEW does not enrol, RUN_FIRST_STEP runs the first step of the new workflow only.',
      'An existing group with that name (without case) and strategy is returned unchanged. With another strategy, the name is refused as taken.',
    ],
    input: z.strictObject({ name: groupName, conflictStrategy: conflictStrategy.default('CANCEL_EXISTING') }),
    output: one,
    errors: ['WORKFLOW_GROUP_NAME_TAKEN'],
    transaction: 'write',
    keywords: 'new folder for automations, sort, collection, only one sequence at a time, organise, make',
    example: { name: 'Onboarding' },
  },
  update_workflow_group: {
    summary: 'Updates the name or the conflict strategy of a group.',
    category: 'workflows',
    scope: 'write',
    rules: [future],
    input: z.strictObject({
      ...byId,
      expectedUpdatedAt,
      name: groupName.optional(),
      conflictStrategy: conflictStrategy.optional(),
    }),
    output: one,
    errors: ['WORKFLOW_GROUP_NOT_FOUND', 'WORKFLOW_GROUP_NAME_TAKEN', 'EXPECTED_UPDATED_AT_STALE', 'NOTHING_TO_CHANGE'],
    transaction: 'write',
    keywords: 'rename a folder of automations, change a collection, what happens to people in two sequences',
    example: { groupId: '{groupId}', expectedUpdatedAt: '{groupUpdatedAt}', conflictStrategy: 'SKIP_NEW' },
  },
  set_workflow_group: {
    summary: 'Assigns a workflow to a group, or detaches it with groupId null.',
    category: 'workflows',
    scope: 'write',
    rules: [future, 'The graph does not change, and nothing is published.'],
    input: z.strictObject({
      workflowId: idText,
      expectedUpdatedAt,
      groupId: z.union([idText, z.null()]).describe('null detaches'),
    }),
    output: z.object({ workflow, workflowId: z.string() }),
    errors: ['WORKFLOW_NOT_FOUND', 'WORKFLOW_GROUP_NOT_FOUND', 'EXPECTED_UPDATED_AT_STALE'],
    transaction: 'write',
    keywords: 'move an automation into a folder, put into a collection, take out of, belongs to, sort',
    example: { workflowId: '{groupWorkflowId}', expectedUpdatedAt: '{groupWorkflowUpdatedAt}', groupId: null },
  },
  delete_workflow_group: {
    summary: 'Deletes a group permanently. Its workflows are kept.',
    category: 'workflows',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: ['Refused while workflows are assigned, unless unassignWorkflows is true.'],
    input: z.strictObject({
      ...byId,
      expectedName: z.string().min(1).max(255),
      expectedUpdatedAt,
      unassignWorkflows: z.boolean().default(false),
    }),
    output: z.object({ deleted: z.literal(true) }),
    errors: [
      'WORKFLOW_GROUP_NOT_FOUND',
      'WORKFLOW_GROUP_NAME_DIFFERS',
      'EXPECTED_UPDATED_AT_STALE',
      'WORKFLOW_GROUP_IN_USE',
    ],
    transaction: 'write',
    keywords: 'remove a folder of automations, drop a collection, no longer needed, erase',
    example: { groupId: '{spareGroupId}', expectedName: 'A spare group', expectedUpdatedAt: '{spareGroupUpdatedAt}' },
  },
});
