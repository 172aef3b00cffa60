import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { contentType } from '../tools/campaign.js';

const text = {
  subject: z.string(),
  preview: z.string().nullable(),
  content: z.unknown(),
  contentType,
  senderId: z.string().nullable(),
  replyTo: z.string().nullable(),
};

export const workflowEmail = z.object({
  ...text,
  campaignId: z.string(),
  name: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type WorkflowEmailFacts = z.infer<typeof workflowEmail>;

export const workflowEmailRequests = defineRequests('workflow', {
  /** Null when no draft of the organization has it. */
  find_workflow_email: {
    input: z.strictObject({ campaignId: z.string() }),
    output: z.object({ email: workflowEmail.nullable() }),
    errors: [],
    transaction: 'read',
  },
  /** Null when it was changed since `expectedUpdatedAt`, or is gone. */
  save_workflow_email: {
    input: z.strictObject({ campaignId: z.string(), expectedUpdatedAt: timestamp, ...text }),
    output: z.object({ email: workflowEmail.nullable() }),
    errors: [],
    transaction: 'write',
  },
});
