import { z } from 'zod';
import { idText, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { simulationDaysMax, simulationsMax } from '../limits.js';
import { instant } from '../series.js';
import { stepStats, workflowGraph } from './workflow.js';
import { historyLine, workflowRun } from './workflow-run.js';

export const simulationStatuses = ['RUNNING', 'COMPLETED', 'FAILED'] as const;
/** What a simulation takes for granted, by code. */
export const simulationAssumptions = [
  'PROFILES_NOW',
  'STATUS_THEN',
  'ENROLLED_BEFORE',
  'EFFECTS_NOT_APPLIED',
  'MAIL_UNANSWERED',
  'WEBHOOKS_SUCCEED',
  'MANUAL_NOT_SIMULATED',
  'DATES_NOW',
  'GROUP_IGNORED',
  'STARTS_NOT_RECORDED',
  'DELETED_LEFT_OUT',
  'FILTERS_FAILED',
  'EVENTS_CUT',
] as const;

const example = workflowRun.pick({ subscriberId: true, status: true, reason: true, startedAt: true }).extend({
  email: z.string().nullable().describe('null if the subscriber was deleted'),
  startedBy: z.string().describe('The type of the event, or DATE_FIELD'),
  stepId: z.string().describe('The current or last step'),
  nextActionAt: timestamp.nullable(),
  path: z
    .array(historyLine.extend({ why: z.string().describe('One sentence') }))
    .describe('The first 50 lines, oldest first'),
  linesLeftOut: z.int(),
});

const result = z.object({
  read: z.int().describe('Subscribers that were read'),
  considered: z.int().describe('Subscribers with an event or a date that could have started a run'),
  subscribers: z.int().describe('Subscribers that would have entered'),
  entered: z.int().describe('Runs that would have started'),
  runs: z.object({ completed: z.int(), canceled: z.int(), failed: z.int(), waiting: z.int() }),
  skipped: z.array(z.object({ reason: z.string(), count: z.int() })),
  ends: z.array(z.object({ status: z.string(), reason: z.string().nullable(), count: z.int() })),
  goals: z.array(z.object({ id: z.string(), name: z.string(), conversions: z.int() })),
  steps: z.array(
    stepStats.omit({ emails: true }).extend({
      mailed: z.int().optional().describe('Of an EMAIL step'),
      reasons: z.array(z.object({ outcome: z.string(), reason: z.string(), count: z.int() })),
    }),
  ),
  examples: z.array(example).max(20),
  assumptions: z.array(z.object({ code: z.enum(simulationAssumptions), message: z.string() })),
});

export const simulation = z.object({
  simulationId: z.string(),
  workflowId: z.string(),
  version: z.int().nullable().describe('null: the draft'),
  status: z.enum(simulationStatuses),
  progress: z.number().min(0).max(1),
  from: timestamp,
  to: timestamp,
  createdAt: timestamp,
  finishedAt: timestamp.nullable(),
  failure: z.string().optional(),
  draftChanged: z.boolean().describe('Whether the draft was saved since; false for a version'),
  graph: workflowGraph.describe('The steps and edges that were simulated'),
});

export const workflowSimulationTools = defineTools('workflow', {
  simulate_workflow: {
    summary: 'Starts a simulation of a workflow over past events. It sends nothing and changes no run or counter.',
    category: 'workflows',
    scope: 'read',
    rules: [
      `from and to are at most ${simulationDaysMax} days apart; the default is the last ${simulationDaysMax} days. to must not be in the future.`,
      'Without version, the draft is simulated. If a simulation of the workflow is RUNNING, the call returns that one.',
      `An organization has at most ${simulationsMax} RUNNING simulations. Poll get_workflow_simulation; results are kept for 7 days.`,
    ],
    input: z
      .strictObject({
        workflowId: idText,
        version: z.int().min(1).optional().describe('A published version; without it, the draft'),
        from: instant.optional(),
        to: instant.optional(),
      })
      .refine(({ from, to }) => !from || !to || Date.parse(from) < Date.parse(to), {
        path: ['to'],
        message: 'must be later than from',
      }),
    output: z.object({
      simulationId: z.string(),
      workflowId: z.string(),
      status: z.enum(simulationStatuses),
      from: timestamp,
      to: timestamp,
    }),
    errors: [
      ...(['WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND', 'RANGE_TOO_LONG', 'RANGE_IN_FUTURE', 'GRAPH_INVALID'] as const),
      'LIMIT_REACHED',
    ],
    transaction: 'own',
    keywords:
      'dry run of an automation, what would have happened, try a draft, forecast, test before publishing, preview',
    example: { workflowId: '{waitingWorkflowId}' },
  },
  get_workflow_simulation: {
    summary: 'Returns the progress and the result of a simulation: counts by step, 20 examples and the assumptions.',
    category: 'workflows',
    scope: 'read',
    rules: [
      'With workflowId alone, the latest simulation of the workflow is returned.',
      'While the status is RUNNING, the counts cover the subscribers read so far.',
    ],
    input: z
      .strictObject({ simulationId: idText.optional(), workflowId: idText.optional() })
      .refine(({ simulationId, workflowId }) => simulationId !== undefined || workflowId !== undefined, {
        path: ['simulationId'],
        message: 'is required without workflowId',
      }),
    output: z.object({ simulation: simulation.extend({ result }) }),
    errors: ['WORKFLOW_NOT_FOUND', 'SIMULATION_NOT_FOUND'],
    transaction: 'own',
    keywords: 'result of a dry run, would have been mailed, is the simulation ready, forecast of an automation',
    example: { workflowId: '{waitingWorkflowId}' },
  },
});
