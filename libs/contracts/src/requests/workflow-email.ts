import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { contentType } from '../tools/campaign.js';

const text = {
  subject: z.string(),
  preview: z.string().nullable(),
  /** As the content library reads it. */
  content: z.unknown(),
  contentType,
  senderId: z.string().nullable(),
  replyTo: z.string().nullable(),
};

/** An email that only one workflow uses, as its draft has it. */
export const workflowEmail = z.object({
  ...text,
  campaignId: z.string(),
  /** Of its workflow and its step. */
  name: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type WorkflowEmailFacts = z.infer<typeof workflowEmail>;

/** The internal emails of workflows' drafts, for the tools of campaigns. */
export const workflowEmailRequests = defineRequests('workflow', {
  /** Null when no draft of the organization has it. */
  find_workflow_email: {
    input: z.strictObject({ campaignId: z.string() }),
    output: z.object({ email: workflowEmail.nullable() }),
    errors: [],
    transaction: 'read',
  },
  /** Writes an email whole. Null when it was changed since `expectedUpdatedAt`, or is gone. */
  save_workflow_email: {
    input: z.strictObject({ campaignId: z.string(), expectedUpdatedAt: timestamp, ...text }),
    output: z.object({ email: workflowEmail.nullable() }),
    errors: [],
    transaction: 'write',
  },
});
