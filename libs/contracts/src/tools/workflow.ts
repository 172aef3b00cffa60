import { z } from 'zod';
import { filters, idText, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { contentType } from './campaign.js';

export const workflowStatuses = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const;
export type WorkflowStatus = (typeof workflowStatuses)[number];
const workflowStatus = z.enum(workflowStatuses);

/** A step; what its config may say depends on its type and is checked by the service, all problems at once. */
const step = z.looseObject({
  id: z.string().describe('Chosen by the caller: letters, digits, _ and -, unique in the graph'),
  type: z.string().describe('TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT'),
  name: z.string().max(255).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});
const edge = z.looseObject({
  source: z.string(),
  target: z.string(),
  branch: z
    .string()
    .nullish()
    .describe('TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT'),
});
const steps = z.array(step).max(500);
const edges = z.array(edge).max(2000);
export const workflowGraph = z.object({ steps, edges });

const settings = z.looseObject({
  reentry: z.enum(['ONCE', 'AFTER_FINISH', 'ALWAYS']).optional(),
  exitOnUnsubscribe: z.boolean().optional(),
  timezone: z.string().max(255).nullish(),
});
const successGoals = z.array(
  z.looseObject({ id: z.string().optional(), name: z.string().optional(), filters: filters.optional() }),
);

export const workflowSummary = z.object({
  id: z.string(),
  name: z.string(),
  status: workflowStatus,
  groupId: z.string().nullable(),
  activeSubscribers: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const stepStats = z.object({
  stepId: z.string(),
  entered: z.int(),
  waiting: z.int(),
  left: z.record(z.string(), z.int()),
  emails: z.object({ sent: z.int(), opened: z.int(), clicked: z.int() }).optional(),
});

export const workflow = workflowSummary.extend({
  draft: workflowGraph,
  /** The emails of the draft; a step's config names its email by campaignId. */
  emails: z.array(
    z.object({
      stepId: z.string(),
      campaignId: z.string(),
      subject: z.string(),
      preview: z.string().nullable(),
      content: z.unknown(),
      contentType,
      senderId: z.string().nullable(),
      replyTo: z.string().nullable(),
    }),
  ),
  published: workflowGraph.extend({ version: z.int(), publishedAt: timestamp, settings, successGoals }).nullable(),
  /** What publishing would change; null before the first version. */
  difference: z
    .object({
      stepsAdded: z.array(z.string()),
      stepsRemoved: z.array(z.string()),
      stepsChanged: z.array(z.string()),
      edges: z.boolean(),
      settings: z.boolean(),
      successGoals: z.boolean(),
    })
    .nullable(),
  settings,
  successGoals,
  stats: z.object({
    enrolled: z.int(),
    completed: z.int(),
    canceled: z.int(),
    failed: z.int(),
    conversions: z.int(),
    skipped: z.array(z.object({ reason: z.string(), count: z.int() })),
    goals: z.array(z.object({ id: z.string(), name: z.string(), conversions: z.int() })),
    steps: z.array(stepStats),
  }),
  enrolments: z.array(
    z.object({
      jobId: z.string(),
      status: z.enum(['RUNNING', 'DONE', 'FAILED']),
      matched: z.int(),
      enrolled: z.int(),
      skipped: z.array(z.object({ reason: z.string(), count: z.int() })),
      createdAt: timestamp,
      finishedAt: timestamp.nullable(),
      failure: z.string().optional(),
    }),
  ),
});

const one = { workflow, workflowId: z.string() };
const byId = { workflowId: idText };
const expectedUpdatedAt = z.string().min(1).max(64).describe('The exact updatedAt of a fresh read');
export const graphWarning = z.object({ stepId: z.string().nullable(), message: z.string() });
const configured = z.object({
  ...one,
  configuredEmails: z.array(z.object({ stepId: z.string(), campaignId: z.string() })),
  warnings: z.array(graphWarning),
});
const draftErrors = ['WORKFLOW_NOT_FOUND', 'EXPECTED_UPDATED_AT_STALE', 'GRAPH_INVALID'] as const;
const graphRules = [
  'get_skill with type workflow documents the config of each step type.',
  'GRAPH_INVALID lists all problems of a graph in issues, each with stepId, path and rule. Unknown ids are included.',
  'The draft is saved whole or not at all; nothing is published or sent.',
  'Responses contain *** in place of the secret and the header values of a WEBHOOK. Writing *** keeps the existing value.',
  'Unfinished runs stay on their published version.',
];

export const workflowTools = defineTools('workflow', {
  list_workflows: {
    summary: 'Lists workflows of every state, newest first.',
    category: 'workflows',
    scope: 'read',
    input: z.strictObject({
      limit: pageSize(1000, 20),
      query: z.string().max(255).optional().describe('Substring of the name, without case'),
    }),
    output: z.object({ workflows: z.array(workflowSummary), total: z.int() }),
    errors: [],
    transaction: 'read',
    core: true,
    keywords: 'automations, which are running, drip sequences, autoresponders, show, overview',
    example: { limit: 10 },
  },
  get_workflow: {
    summary:
      'Returns a workflow: draft, emails, published version and its differences, settings, goals, statistics by step, and enrolments.',
    category: 'workflows',
    scope: 'read',
    rules: ['Without the scope write, the secret and the header values of a WEBHOOK are returned as ***.'],
    input: z.strictObject(byId),
    output: z.object(one),
    errors: ['WORKFLOW_NOT_FOUND'],
    transaction: 'read',
    core: true,
    keywords: 'open an automation, show the steps, how set up, one sequence, numbers of each step, details',
    example: { workflowId: '{workflowId}' },
  },
  create_workflow: {
    summary: 'Creates an empty DRAFT workflow. It accepts subscribers once it is configured and published.',
    category: 'workflows',
    scope: 'write',
    input: z.strictObject({ name: z.string().trim().min(1).max(255) }),
    output: z.object(one),
    errors: [],
    transaction: 'write',
    core: true,
    keywords: 'new automation, set up, automatic mails, welcome series, drip sequence, start, make, build',
    example: { name: 'Welcome' },
  },
  configure_workflow_draft: {
    summary: 'Replaces the whole draft of a workflow: steps with inline email content, edges, settings and goals.',
    category: 'workflows',
    scope: 'write',
    rules: [
      ...graphRules,
      'EMAIL steps carry {subject, content, contentType?, preview?, senderId?, replyTo?}, or {campaignId} of an email of this draft.',
      'Omitted settings and successGoals keep their values, and so does each omitted key of settings. null clears exitRules, sendWindow and timezone.',
    ],
    input: z.strictObject({
      ...byId,
      expectedUpdatedAt,
      settings: settings.optional(),
      steps,
      edges,
      successGoals: successGoals.max(50).optional(),
    }),
    output: configured,
    errors: draftErrors,
    transaction: 'own',
    hasSecrets: true,
    core: true,
    brief:
      'Replaces the whole draft of a workflow: steps with inline email content, edges, settings and goals. Nothing is published or sent. EMAIL steps carry {subject, content, contentType?, preview?, senderId?, replyTo?}, or {campaignId} of an email of this draft. Omitted settings and successGoals keep their values. GRAPH_INVALID lists all problems in issues, each with stepId, path and rule. get_skill with type workflow documents the config of each step type.',
    keywords:
      'put in steps, wait then mail, build a sequence, write the emails, design, trigger, when someone signs up, conditions, branches, whole automation',
    example: {
      workflowId: '{workflowId}',
      expectedUpdatedAt: '{workflowUpdatedAt}',
      steps: [
        { id: 'start', type: 'TRIGGER', config: { kind: 'SUBSCRIBED' } },
        { id: 'pause', type: 'WAIT', config: { amount: 1, unit: 'DAYS' } },
        {
          id: 'welcome',
          type: 'EMAIL',
          config: { subject: 'Welcome', contentType: 'MARKDOWN', content: 'Hello {{firstName}}' },
        },
      ],
      edges: [
        { source: 'start', target: 'pause' },
        { source: 'pause', target: 'welcome' },
      ],
    },
  },
  update_workflow_draft: {
    summary: 'Replaces the graph of a draft whose EMAIL steps refer to existing emails or campaigns by campaignId.',
    category: 'workflows',
    scope: 'write',
    rules: [
      ...graphRules,
      'An email of another workflow, or a campaign, is copied into an email of this workflow. The definition may also contain settings and goals.',
    ],
    input: z.strictObject({
      ...byId,
      expectedUpdatedAt,
      definition: z.looseObject({
        steps,
        edges,
        settings: settings.optional(),
        successGoals: successGoals.max(50).optional(),
      }),
    }),
    output: configured,
    errors: draftErrors,
    transaction: 'own',
    hasSecrets: true,
    keywords:
      'change one step, adjust the wait, tweak an automation, use existing mails, rearrange, edit a sequence, longer, shorter',
    example: {
      workflowId: '{draftWorkflowId}',
      expectedUpdatedAt: '{draftWorkflowUpdatedAt}',
      definition: {
        steps: [
          { id: 'start', type: 'TRIGGER', config: { kind: 'SUBSCRIBED' } },
          { id: 'mail', type: 'EMAIL', config: { campaignId: '{campaignId}' } },
        ],
        edges: [{ source: 'start', target: 'mail' }],
      },
    },
  },
  delete_workflow: {
    summary: 'Deletes a draft that was never published; archives any other workflow to keep its history.',
    category: 'workflows',
    scope: 'write',
    locks: true,
    confirm: true,
    destructive: true,
    rules: ['Archiving cancels the unfinished runs.'],
    input: z.strictObject(byId),
    output: z.object({
      deleted: z.literal(true).optional(),
      archived: z.literal(true).optional(),
      workflow: workflow.optional(),
    }),
    errors: ['WORKFLOW_NOT_FOUND'],
    transaction: 'write',
    keywords: 'throw an automation away, remove a sequence, erase, drop, get rid of',
    example: { workflowId: '{spareWorkflowId}' },
  },
});
