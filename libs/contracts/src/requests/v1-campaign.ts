import { z } from 'zod';
import { filters, idText, pageSize, timestamp } from '../common.js';
import { defineRequests } from '../define.js';
import { campaignStatus, campaignStatuses, contentType } from '../tools/campaign.js';

export const campaignView = z.object({
  id: z.string(),
  campaignId: z.string(),
  name: z.string(),
  subject: z.string(),
  preview: z.string().nullable(),
  status: campaignStatus,
  contentType,
  sendAt: timestamp.nullable(),
  scheduledAt: timestamp.nullable(),
  recipientCount: z.int().nullable().describe('Null in lists until the send starts'),
  emailsSentCount: z.int(),
  emailsOpenedCount: z.int().describe('Unique recipients, not openings'),
  emailsClickedCount: z.int().describe('Unique recipients, not clicks'),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const campaignDetails = campaignView.extend({
  content: z.unknown().describe('A document object, or text for MARKDOWN'),
  replyTo: z.string().nullable(),
  senderId: z.string().nullable(),
  timezone: z.string().nullable(),
  recipientFilters: filters,
  sender: z
    .object({
      id: z.string(),
      name: z.string(),
      displayName: z.string(),
      localPart: z.string(),
      replyTo: z.string().nullable(),
      domain: z.object({ domain: z.string() }),
    })
    .nullable(),
});

export const campaignOrders = ['createdAt', 'updatedAt', 'scheduledAt', 'name'] as const;

export const campaignViewRequests = defineRequests('campaign', {
  list_campaign_views: {
    input: z.strictObject({
      page: z.int().min(1).max(1_000_000).default(1),
      limit: pageSize(100, 20),
      status: z.enum([...campaignStatuses, 'ALL']).default('ALL'),
      query: z.string().max(255).optional(),
      sortBy: z.enum(campaignOrders).default('createdAt'),
    }),
    output: z.object({
      campaigns: z.array(campaignView),
      total: z.int(),
      page: z.int(),
      limit: z.int(),
      pageCount: z.int(),
    }),
    errors: [],
    transaction: 'read',
  },
  get_campaign_details: {
    input: z.strictObject({ campaignId: idText }),
    output: z.object({ campaign: campaignDetails }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'own',
  },
  delete_campaign: {
    input: z.strictObject({ campaignId: idText }),
    output: z.object({ campaignId: z.string() }),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_DRAFT'],
    transaction: 'write',
  },
});
