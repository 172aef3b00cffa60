import { z } from 'zod';
import { emailText, filters, idText, subscriberStatus, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { workflow, workflowStatuses } from './workflow.js';

export const historyLine = z.object({
  stepId: z.string(),
  at: timestamp,
  /** What came of the step: a branch, DONE, SENT, SKIPPED, WAITING, FAILED … */
  outcome: z.string(),
  data: z.record(z.string(), z.unknown()),
});
const step = z.object({ id: z.string(), type: z.string(), name: z.string().nullable() });

export const workflowRun = z.object({
  workflowSubscriberId: z.string(),
  workflowId: z.string(),
  workflowName: z.string(),
  version: z.int(),
  subscriberId: z.string(),
  status: z.enum(['ACTIVE', 'WAITING', 'COMPLETED', 'CANCELED', 'FAILED']),
  currentStep: step,
  /** Tries of the current step that came to nothing; the next one is at nextActionAt. */
  attempts: z.int(),
  nextActionAt: timestamp.nullable(),
  startedAt: timestamp,
  finishedAt: timestamp.nullable(),
  /** Why it ended or, after a try that came to nothing, why that was. */
  reason: z.string().nullable(),
  /** The last hundred lines, oldest first. */
  history: z.array(historyLine),
});

const byId = { workflowId: idText };
const who = { subscriberId: idText.optional(), email: emailText.optional() };
const whoErrors = ['SUBSCRIBER_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'] as const;
const stepId = z.string().min(1).max(64).optional().describe('A step of the published version to start from');
const one = { workflow, workflowId: z.string() };

export const workflowLifeTools = defineTools('workflow', {
  publish_workflow: {
    summary:
      'Checks the draft and publishes it as a new, immutable version. The first version makes the workflow ACTIVE.',
    category: 'workflows',
    scope: 'send',
    locks: true,
    confirm: true,
    rules: [
      'With activate false, a workflow that was not ACTIVE becomes PAUSED; an ACTIVE one stays ACTIVE.',
      'Unfinished runs stay on their version. The content, subject and sender of each email are copied into the new version.',
    ],
    input: z.strictObject({ ...byId, activate: z.boolean().optional() }),
    output: z.object({ ...one, version: z.int(), activated: z.boolean() }),
    errors: ['WORKFLOW_NOT_FOUND', 'WORKFLOW_ARCHIVED', 'GRAPH_INVALID', 'SENDER_MISSING', 'SENDER_DOMAIN_UNVERIFIED'],
    transaction: 'own',
    core: true,
    keywords:
      'make an automation live, activate, put changes into effect, launch, finished, go live, start a sequence, release',
    example: { workflowId: '{workflowId}' },
  },
  update_workflow_status: {
    summary:
      'Sets a published workflow to ACTIVE, PAUSED (no new subscribers, timers held) or ARCHIVED (runs canceled).',
    category: 'workflows',
    scope: 'send',
    locks: true,
    confirm: true,
    unasked: ({ status }) => status === 'PAUSED',
    lighter: { scope: 'write', appliesTo: ({ status }) => status === 'PAUSED' },
    rules: ['PAUSED takes effect at once, without a confirmation.'],
    input: z.strictObject({ ...byId, status: z.enum(workflowStatuses).exclude(['DRAFT']) }),
    output: z.object(one),
    errors: ['WORKFLOW_NOT_FOUND', 'WORKFLOW_NOT_PUBLISHED'],
    transaction: 'write',
    keywords: 'pause an automation, switch off, switch on, stop, resume, restart, turn off, halt a sequence',
    example: { workflowId: '{workflowId}', status: 'ACTIVE' },
  },
});

export const workflowRunTools = defineTools('workflow', {
  add_subscriber_to_workflow: {
    summary: 'Starts a run of an ACTIVE workflow for one SUBSCRIBED subscriber.',
    category: 'workflows',
    scope: 'send',
    rules: ['Re-entry and group rules apply; an ineligible subscriber is refused with the reason.'],
    input: z.strictObject({ ...byId, ...who, stepId }),
    output: z.object({ run: workflowRun }),
    errors: ['WORKFLOW_NOT_FOUND', ...whoErrors, 'WORKFLOW_NOT_ACTIVE', 'STEP_NOT_FOUND', 'ENROLMENT_SKIPPED'],
    transaction: 'own',
    core: true,
    keywords:
      'start an automation for one person, put someone into a sequence, enrol by hand, begin, send someone through, run for one',
    example: { workflowId: '{workflowId}', email: 'grace@example.com' },
  },
  add_subscribers_to_workflow: {
    summary:
      'Enrols the subscribers that match filters, a query or a list of ids. With dryRun, it only returns the number of matches and the possible first steps.',
    category: 'workflows',
    scope: 'send',
    lighter: { scope: 'read', appliesTo: ({ dryRun }) => dryRun === true },
    rules: [
      'Above 500 matches, a background job enrols them; get_workflow returns its counts.',
      'Ineligible subscribers are counted under matched and listed in skipped by reason.',
      'subscriberIds replaces filters, query and status.',
    ],
    input: z.strictObject({
      ...byId,
      stepId,
      filters: filters.default([]),
      query: z.string().max(255).optional().describe('Substring of email, name or tag name, without case'),
      status: subscriberStatus.default('SUBSCRIBED'),
      subscriberIds: z.array(idText).max(500).optional(),
      dryRun: z.boolean().optional(),
    }),
    output: z.object({
      matched: z.int(),
      enrolled: z.int().optional(),
      skipped: z.array(z.object({ reason: z.string(), count: z.int() })).optional(),
      steps: z.array(step).optional(),
      dryRun: z.boolean(),
      status: z.literal('RUNNING').optional(),
      jobId: z.string().optional(),
    }),
    errors: [
      'WORKFLOW_NOT_FOUND',
      'WORKFLOW_NOT_ACTIVE',
      'STEP_NOT_FOUND',
      'FILTERS_INVALID',
      'FILTER_TARGET_GONE',
      'SEGMENT_CYCLE',
    ],
    transaction: 'own',
    keywords:
      'start an automation for many people, all customers, everyone who matches, enrol existing people, put a group into a sequence, run a list through, send many through, whole list',
    example: { workflowId: '{workflowId}', dryRun: true },
  },
  remove_subscriber_from_workflow: {
    summary: 'Cancels the unfinished runs of one subscriber in a workflow. The call also succeeds if there are none.',
    category: 'workflows',
    scope: 'write',
    idempotent: true,
    input: z.strictObject({ ...byId, ...who }),
    output: z.object({ canceled: z.int() }),
    errors: ['WORKFLOW_NOT_FOUND', ...whoErrors],
    transaction: 'own',
    keywords: 'take one person out of a sequence, stop automatic mails for someone, cancel, end, leave',
    example: { workflowId: '{workflowId}', email: 'grace@example.com' },
  },
  get_subscriber_workflow_runs: {
    summary:
      'Lists the runs of one subscriber with their history: unfinished runs first, then the most recently ended.',
    category: 'workflows',
    scope: 'read',
    rules: ['If a run is ACTIVE with attempts, its step is retried at nextActionAt; reason contains the error.'],
    input: z.strictObject({ ...who, workflowId: idText.optional() }),
    output: z.object({ runs: z.array(workflowRun) }),
    errors: ['WORKFLOW_NOT_FOUND', ...whoErrors],
    transaction: 'own',
    keywords: 'which automations is a person in, where is someone, at what step, stand in a sequence, stuck',
    example: { email: 'grace@example.com' },
  },
  fast_forward_workflow_subscriber: {
    summary: 'Ends one WAIT or WAIT_UNTIL step of a run now. The steps after it run normally, with their real effects.',
    category: 'workflows',
    scope: 'send',
    rules: [
      'A WAIT_UNTIL continues along its TIMEOUT edge.',
      'If several runs wait, workflowSubscriberId selects one; it also identifies the subscriber.',
      'If several calls end the same wait at the same time, one succeeds and the others are refused with WAIT_OVER.',
    ],
    input: z.strictObject({ ...byId, ...who, workflowSubscriberId: idText.optional() }),
    output: z.object({ run: workflowRun, expiredStep: step, nextStep: step.nullable() }),
    errors: [
      'WORKFLOW_NOT_FOUND',
      ...whoErrors,
      'WORKFLOW_PAUSED',
      'RUN_NOT_FOUND',
      'RUN_NOT_WAITING',
      'WAIT_OVER',
      'RUNS_AMBIGUOUS',
    ],
    transaction: 'own',
    keywords: 'skip the wait, move on now, next step at once, do not make someone wait, hurry, jump ahead, immediately',
    example: { workflowId: '{waitingWorkflowId}', email: 'waiting@example.com' },
  },
});
