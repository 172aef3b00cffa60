import { z } from 'zod';
import { idText, nextCursor, pageSize } from '../common.js';
import { defineTools } from '../define.js';
import { campaignRequests } from '../requests/campaign.js';
import {
  campaignRecipient,
  campaignRecipientRequests,
  outcomeCounts,
  recipientStatuses,
} from '../requests/recipient.js';
import { campaignViewRequests } from '../requests/v1-campaign.js';

const byId = { campaignId: idText };
const { control_campaign: control, autosave_campaign: autosave } = campaignRequests.calls;
const { retry_campaign: retry } = campaignRecipientRequests.calls;
const { delete_campaign: deletion } = campaignViewRequests.calls;

export const campaignControlTools = defineTools('campaign', {
  pause_campaign: {
    summary: 'Pauses a SENDING campaign. Within a second, no further delivery attempt starts.',
    category: 'campaigns',
    scope: 'write',
    idempotent: true,
    rules: ['The status stays SENDING; get_campaign_progress returns paused true.'],
    input: z.strictObject(byId),
    output: control.output,
    errors: control.errors,
    transaction: 'own',
    core: true,
    keywords: 'hold a newsletter, stop for now, halt, interrupt the mailing',
    example: { campaignId: '{sendingCampaignId}' },
  },
  resume_campaign: {
    summary: 'Resumes a paused campaign where it stopped. No recipient receives it twice.',
    category: 'campaigns',
    scope: 'send',
    confirm: true,
    idempotent: true,
    input: z.strictObject(byId),
    output: control.output,
    errors: control.errors,
    transaction: 'own',
    keywords: 'continue a paused newsletter, go on sending, unpause',
    example: { campaignId: '{sendingCampaignId}' },
  },
  retry_campaign: {
    summary: 'Retries the recipients of a campaign whose mail was refused temporarily or could not be rendered.',
    category: 'campaigns',
    scope: 'send',
    confirm: true,
    rules: [
      'Dead addresses, skipped and stopped recipients are not retried. list_campaign_recipients returns canRetry for each.',
      'inDoubt true also retries recipients whose mail may have arrived. They may receive it twice.',
    ],
    input: z.strictObject({ ...byId, inDoubt: z.boolean().default(false) }),
    output: retry.output,
    errors: retry.errors,
    transaction: 'own',
    keywords: 'send again to failed, second attempt, undelivered people',
    example: { campaignId: '{sendingCampaignId}' },
  },
  list_campaign_recipients: {
    summary: 'Lists the recipients of a campaign with outcome, reason and the mail server’s reply, by cursor.',
    category: 'campaigns',
    scope: 'read',
    rules: [
      'Recipients without a message so far are counted in pending only.',
      'counts holds all recipients by status and reason, and NONE for those without a reason. It is null on later pages.',
    ],
    input: z.strictObject({
      ...byId,
      statuses: z.array(z.enum(recipientStatuses)).min(1).max(recipientStatuses.length).optional(),
      reason: z.string().trim().min(1).max(64).optional().describe('A reason as counts has it, such as MAILBOX_FULL'),
      query: z.string().trim().min(1).max(320).optional().describe('Substring of the address, without case'),
      cursor: idText.optional().describe('nextCursor of the previous page'),
      limit: pageSize(100, 50),
    }),
    output: z.object({
      recipients: z.array(campaignRecipient),
      counts: outcomeCounts.nullable(),
      pending: z.int(),
      nextCursor,
    }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'own',
    keywords: 'who received it, who bounced, failed addresses, undelivered people of a newsletter',
    example: { campaignId: '{sendingCampaignId}', limit: 10 },
  },
  stop_campaign: {
    summary: 'Stops a SENDING campaign for ever and skips its remaining recipients with the reason STOPPED.',
    category: 'campaigns',
    scope: 'write',
    confirm: true,
    destructive: true,
    rules: ['It ends SENT, or FAILED if no recipient received it.'],
    input: z.strictObject(byId),
    output: control.output,
    errors: control.errors,
    transaction: 'own',
    keywords: 'end a newsletter permanently, kill the mailing, cancel the rest',
    example: { campaignId: '{sendingCampaignId}' },
  },
  autosave_campaign: {
    summary: 'Saves a DRAFT campaign while its author writes. Omitted fields keep their values.',
    category: 'campaigns',
    scope: 'write',
    rules: ['This tool names the campaign by id. Saves within a minute are one history entry with source autosave.'],
    input: autosave.input,
    output: autosave.output,
    errors: autosave.errors,
    transaction: 'own',
    keywords: 'save while typing, keep changes, draft save, editor',
    example: { id: '{draftCampaignId}', subject: 'Spring is almost here' },
  },
  delete_campaign: {
    summary: 'Deletes a DRAFT campaign with its history.',
    category: 'campaigns',
    scope: 'write',
    confirm: true,
    destructive: true,
    input: z.strictObject(byId),
    output: deletion.output,
    errors: deletion.errors,
    transaction: 'write',
    keywords: 'remove a newsletter, throw away a draft, discard',
    example: { campaignId: '{draftCampaignId}' },
  },
});
