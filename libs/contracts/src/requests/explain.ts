import { z } from 'zod';
import { filters, idText, timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { campaignStatus } from '../tools/campaign.js';
import { workflowStatuses } from '../tools/workflow.js';
import { campaignRecipient } from './recipient.js';

export const explainCampaignRequests = defineRequests('campaign', {
  get_campaign_audience: {
    input: z.strictObject({ campaignId: idText }),
    output: z.object({
      campaignId: z.string(),
      name: z.string(),
      status: campaignStatus,
      filters,
      scheduledAt: timestamp.nullable(),
      /** When the audience was frozen, which is when the send began; null before. */
      startedAt: timestamp.nullable(),
      sendId: z.string().nullable(),
      /** The frozen audience; null before the send and after its release. */
      audienceId: z.string().nullable(),
      failure: z.string().nullable(),
      /** Why a due campaign does not start; absent from an older version. */
      waitingFor: z.string().nullable().optional(),
    }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'read',
  },
});

export const explainedMessage = campaignRecipient.extend({
  subscriberId: z.string().nullable(),
  campaignId: z.string().nullable(),
  campaignName: z.string().nullable(),
  subject: z.string(),
  createdAt: timestamp,
  dueAt: timestamp.nullable(),
});
export type ExplainedMessage = z.infer<typeof explainedMessage>;

export const explainMessageRequests = defineRequests('delivery', {
  find_message: {
    input: z.strictObject({
      messageId: idText.nullable(),
      sendId: idText.nullable(),
      subscriberId: idText.nullable(),
    }),
    output: z.object({
      message: explainedMessage.nullable(),
      /** Of the named send: why nothing goes out, while nothing does. */
      send: z
        .object({ state: z.string(), pausedReason: z.string().nullable(), waitingFor: z.string().nullable() })
        .nullable(),
    }),
    errors: ['MESSAGE_IN_PROGRESS'],
    transaction: 'read',
  },
});

const explainedTrigger = z.object({
  stepId: z.string(),
  kind: z.string(),
  /** The types of the history that it starts at; empty for a trigger without events, such as MANUAL. */
  eventTypes: z.array(z.string()),
  /** Ids of tags that it is bound to; null for any. */
  tags: z.array(z.string()).nullable(),
  /** The campaign and the field that it is bound to; null for any, absent from an older version. */
  campaignId: z.string().nullable().optional(),
  fieldId: z.string().nullable().optional(),
  filters,
});
export type ExplainedTrigger = z.infer<typeof explainedTrigger>;

const explainedRun = z.object({
  id: z.string(),
  version: z.int(),
  state: z.enum(['ACTIVE', 'WAITING', 'COMPLETED', 'CANCELED', 'FAILED']),
  step: z.object({ id: z.string(), type: z.string(), name: z.string().nullable() }),
  startedAt: timestamp,
  nextActionAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  reason: z.string().nullable(),
  /** Its EMAIL steps so far: whether the mail was sent, or why not. */
  mails: z.array(z.object({ stepId: z.string(), at: timestamp, outcome: z.string(), reason: z.string().nullable() })),
});
export type ExplainedRun = z.infer<typeof explainedRun>;

export const explainWorkflowRequests = defineRequests('workflow', {
  find_workflow_run: {
    input: z.strictObject({ workflowId: idText, subscriberId: idText }),
    output: z.object({
      name: z.string(),
      status: z.enum(workflowStatuses),
      pausedReason: z.string().nullable(),
      /** Null before the first publication. */
      version: z.int().nullable(),
      /** When that version was published; absent from an older version. */
      publishedAt: timestamp.nullable().optional(),
      reentry: z.string().nullable(),
      triggers: z.array(explainedTrigger),
      enrolledBefore: z.boolean(),
      underWay: z.boolean(),
      startsLastHour: z.int(),
      startsAnHourMax: z.int(),
      /** Null for a workflow without a group; `others`: an open run in another workflow of it. */
      group: z.object({ strategy: z.string(), others: z.boolean() }).nullable(),
      /** The open run, else the one that ended last. */
      run: explainedRun.nullable(),
    }),
    errors: ['WORKFLOW_NOT_FOUND'],
    transaction: 'read',
  },
});
export type ExplainedWorkflow = z.infer<(typeof explainWorkflowRequests)['calls']['find_workflow_run']['output']>;
