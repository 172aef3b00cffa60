import { z } from 'zod';
import { idText, nextCursor, pageSize, subscriberStatus } from '../common.js';
import { defineTools } from '../define.js';
import { graphWarning, workflowGraph, workflowStatuses, workflowSummary, workflowTools } from './workflow.js';
import { workflowRun } from './workflow-run.js';

const byId = { workflowId: idText };
const version = z.int().min(1).optional().describe('A published version; without it, all versions');
const day = z.iso.date('must be a date such as 2026-05-01');
const stepTypes = [
  'TRIGGER',
  'EMAIL',
  'WAIT',
  'WAIT_UNTIL',
  'CONDITION',
  'SPLIT',
  'ACTION',
  'MOVE_TO_STEP',
  'GOAL',
  'EXIT',
] as const;

export const flowBucketsMax = 120;

export const workflowInsightTools = defineTools('workflow', {
  search_workflows: {
    summary: 'Lists workflows by name, status and group, in a chosen order, page by page.',
    category: 'workflows',
    scope: 'read',
    rules: ['counts true adds the number of workflows of each status that match query and groupId.'],
    input: z.strictObject({
      query: z.string().max(255).optional().describe('Substring of the name, without case'),
      statuses: z.array(z.enum(workflowStatuses)).max(workflowStatuses.length).default([]).describe('Empty: all'),
      groupId: idText.nullish().describe('A workflow group; null: workflows without a group'),
      sort: z.enum(['createdAt', 'updatedAt', 'name']).default('createdAt'),
      order: z.enum(['ASC', 'DESC']).default('DESC'),
      counts: z.boolean().default(false),
      limit: pageSize(100, 50),
      cursor: z.string().min(1).max(400).optional(),
    }),
    output: z.object({
      workflows: z.array(workflowSummary),
      total: z.int(),
      counts: z.partialRecord(z.enum(workflowStatuses), z.int()).optional(),
      nextCursor,
    }),
    errors: ['WORKFLOW_GROUP_NOT_FOUND'],
    transaction: 'read',
    keywords: 'find automations, filter, sort journeys',
    example: { sort: 'updatedAt', counts: true },
  },
  list_workflow_runs: {
    summary: 'Lists the runs of a workflow with their subscribers, most recently started first.',
    category: 'workflows',
    scope: 'read',
    rules: ['stepId narrows to runs whose current or last step it is. Counting stops at 10,000 (totalIsMinimum).'],
    input: z.strictObject({
      ...byId,
      status: workflowRun.shape.status.optional(),
      stepId: z.string().min(1).max(64).optional(),
      version,
      limit: pageSize(100, 50),
      cursor: idText.optional(),
    }),
    output: z.object({
      runs: z.array(
        workflowRun.omit({ history: true, workflowName: true }).extend({
          subscriber: z
            .object({ id: z.string(), email: z.string(), status: subscriberStatus.nullable() })
            .nullable()
            .describe('null if the subscriber was deleted'),
        }),
      ),
      total: z.int(),
      totalIsMinimum: z.literal(true).optional(),
      nextCursor,
    }),
    errors: ['WORKFLOW_NOT_FOUND', 'STEP_NOT_FOUND'],
    transaction: 'own',
    keywords: 'who is in an automation, where do people wait, stuck in a step',
    example: { workflowId: '{waitingWorkflowId}' },
  },
  get_workflow_flow: {
    summary: 'Returns how many runs entered, left and waited at each step of a workflow over time.',
    category: 'workflows',
    scope: 'read',
    rules: [
      `Days are UTC; from and to are inclusive. The default is the last 30 days. Above ${flowBucketsMax} days, a bucket has several days.`,
      'waiting is the number at the end of a bucket.',
      'With version, graph has the steps and edges of that version; null if it was never published.',
    ],
    input: z
      .strictObject({ ...byId, from: day.optional(), to: day.optional(), version })
      .refine(({ from, to }) => !from || !to || from <= to, { path: ['to'], message: 'must not be before from' }),
    output: z.object({
      buckets: z.array(day).max(flowBucketsMax).describe('The first day of each bucket'),
      bucketDays: z.int(),
      steps: z.array(
        z.object({
          stepId: z.string(),
          entered: z.array(z.int()),
          left: z.array(z.int()),
          waiting: z.array(z.int()),
        }),
      ),
      graph: workflowGraph.nullable().optional(),
    }),
    errors: ['WORKFLOW_NOT_FOUND'],
    transaction: 'read',
    keywords: 'how many pass each step, funnel, drop off, automation statistics over time',
    example: { workflowId: '{waitingWorkflowId}' },
  },
  validate_workflow_draft: {
    summary: 'Checks a draft by all rules of saving and publishing, without saving it.',
    category: 'workflows',
    scope: 'read',
    rules: [
      'The issues are those that configure_workflow_draft or publish_workflow would report.',
      'With workflowId, omitted settings and successGoals are those of that workflow.',
    ],
    input: workflowTools.calls.configure_workflow_draft.input
      .omit({ expectedUpdatedAt: true })
      .extend({ workflowId: idText.optional() }),
    output: z.object({
      valid: z.boolean(),
      issues: z.array(
        z.object({
          stepId: z.string().nullable(),
          path: z.array(z.union([z.string(), z.int()])),
          message: z.string(),
        }),
      ),
      warnings: z.array(graphWarning),
    }),
    errors: ['WORKFLOW_NOT_FOUND'],
    transaction: 'own',
    hasSecrets: true,
    keywords: 'check an automation, errors before publishing, lint',
    example: {
      steps: [
        { id: 'start', type: 'TRIGGER', config: { kind: 'SUBSCRIBED' } },
        { id: 'end', type: 'EXIT', config: {} },
      ],
      edges: [{ source: 'start', target: 'end' }],
    },
  },
  get_step_schemas: {
    summary: 'Returns the JSON Schema, branches and an example of the config of each step type.',
    category: 'workflows',
    scope: 'read',
    rules: ['Rules that JSON Schema cannot express are checked by validate_workflow_draft.'],
    input: z.strictObject({
      types: z.array(z.enum(stepTypes)).max(stepTypes.length).default([]).describe('Empty: all'),
    }),
    output: z.object({
      steps: z.array(
        z.object({
          type: z.enum(stepTypes),
          summary: z.string(),
          config: z.record(z.string(), z.unknown()).describe('JSON Schema, draft 2020-12'),
          branches: z
            .array(z.string())
            .nullable()
            .describe('Names of the outgoing edges; null: one edge without a name; empty: none'),
          example: z.record(z.string(), z.unknown()).describe('A valid config'),
        }),
      ),
    }),
    errors: [],
    transaction: 'read',
    keywords: 'what can a step do, fields of a step, build an automation, node types',
    example: { types: ['WAIT', 'CONDITION'] },
  },
});
