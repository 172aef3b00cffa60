import { z } from 'zod';
import { timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { campaignTools, contentType, contentWarning } from '../tools/campaign.js';
import { filterUsers, named, namesAsked } from './named.js';

const { edit_campaign: edit } = campaignTools.calls;

export const campaignRequests = defineRequests('campaign', {
  /** Pauses, resumes or stops a campaign while it is SENDING. */
  control_campaign: {
    input: z.strictObject({ campaignId: z.string(), action: z.enum(['pause', 'resume', 'stop']) }),
    output: z.object({ campaignId: z.string(), paused: z.boolean() }),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_SENDING', 'CAMPAIGN_STARTING', 'CAMPAIGN_STOPPING'],
    transaction: 'own',
  },
  /** What an editor saves by itself while its author writes; saves of a minute are one entry of the history. */
  autosave_campaign: {
    input: edit.input.pick({ id: true, name: true, subject: true, preview: true, content: true, contentType: true }),
    output: z.object({ campaignId: z.string(), updatedAt: timestamp, warnings: edit.output.shape.warnings }),
    errors: edit.errors,
    transaction: 'own',
  },
  /** Which of these campaigns there are; a name (without case) may be several campaigns'. */
  find_campaigns: {
    input: namesAsked,
    output: z.object({ campaigns: z.array(named) }),
    errors: [],
    transaction: 'read',
  },
  /** The SCHEDULED and SENDING campaigns whose filters or conditional blocks name one of these (`tag:tag_…`). */
  list_filter_users: filterUsers,
  /**
   * Compiles a mail in its author's form with the current snippets and organization. `references`: ids that its
   * conditional blocks name; `template` is the content library's, unchanged.
   */
  compile_mail: {
    input: z.strictObject({
      subject: z.string(),
      preview: z.string().nullable(),
      content: z.unknown(),
      contentType,
    }),
    output: z.object({
      content: z.unknown(),
      references: z.array(z.string()),
      template: z.unknown(),
      warnings: z.array(contentWarning),
    }),
    errors: ['CONTENT_INVALID', 'SNIPPET_NOT_FOUND', 'FILTER_TARGET_GONE'],
    transaction: 'own',
  },
  get_campaign_totals: {
    input: z.strictObject({}),
    output: z.object({
      campaigns: z.object({
        total: z.int(),
        byStatus: z.record(z.string(), z.int()),
        sent: z.int(),
        averageOpenRate: z.number(),
        averageClickRate: z.number(),
      }),
      snippets: z.int(),
    }),
    errors: [],
    transaction: 'read',
  },
});
