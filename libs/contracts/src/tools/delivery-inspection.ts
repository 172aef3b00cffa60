import { z } from 'zod';
import { idText, nextCursor, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { sendProgress } from '../requests/delivery.js';
import { explainedMessage } from '../requests/explain.js';
import { recipientStatuses } from '../requests/recipient.js';
import { instant } from '../series.js';

const sendState = sendProgress.shape.state;
const { canRetry: _canRetry, ...messageShape } = explainedMessage.shape;
const message = z.object({
  ...messageShape,
  kind: z.enum(['CAMPAIGN', 'WORKFLOW', 'TRANSACTIONAL', 'SMTP', 'TEST']),
  simulated: z.boolean().describe('Sent to a test address: the mail was simulated'),
});

export const deliveryInspectionTools = defineTools('delivery', {
  list_sends: {
    summary: 'Lists the sends of campaigns, newest first, with their state.',
    category: 'deliverability',
    scope: 'read',
    input: z.strictObject({
      state: sendState.optional(),
      cursor: idText.optional().describe('nextCursor of the previous page: the id of its last send'),
      limit: pageSize(100, 20),
    }),
    output: z.object({
      sends: z.array(
        z.object({
          sendId: z.string(),
          campaignId: z.string(),
          campaignName: z.string(),
          state: sendState,
          total: z.int(),
          startedAt: timestamp,
          finishedAt: timestamp.nullable(),
        }),
      ),
      nextCursor,
    }),
    errors: ['PARAMETERS_INVALID'],
    transaction: 'read',
    keywords: 'what is going out, running deliveries, queue',
    example: { limit: 10 },
  },
  get_send: {
    summary: 'Returns the progress of a send with its chunks, what it waits for, the relay and the remaining time.',
    category: 'deliverability',
    scope: 'read',
    rules: [
      'Identify the send by sendId or campaignId; campaignId means its newest send.',
      'chunks counts parts of 500 recipients by state. relay.backoffUntil is set while the mail server takes no mail.',
      'etaSeconds is estimated from the present rate; null while nothing is sent.',
    ],
    input: z.strictObject({ sendId: idText.optional(), campaignId: idText.optional() }),
    output: z.object({
      send: sendProgress.extend({
        campaignName: z.string(),
        chunks: z.object({ ready: z.int(), leased: z.int(), done: z.int() }),
        relay: z.object({ relayId: z.string(), backoffUntil: timestamp.nullable(), reason: z.string().nullable() }),
        etaSeconds: z.int().nullable(),
      }),
    }),
    errors: ['SEND_NOT_FOUND', 'IDENTIFIER_MISSING', 'IDENTIFIERS_DISAGREE'],
    transaction: 'read',
    keywords: 'sending status, speed, time left, stuck, why waiting',
    example: { campaignId: '{sendingCampaignId}' },
  },
  list_messages: {
    summary: 'Lists messages of all kinds, newest first, by status, campaign, time and text.',
    category: 'deliverability',
    scope: 'read',
    rules: [
      'One call looks through at most 100,000 messages. nextCursor continues from there, also after a page without a match.',
      'A message belongs to the month in which its send began; later months come first.',
      'from and to bound createdAt and are inclusive.',
    ],
    input: z.strictObject({
      query: z.string().trim().min(1).max(320).optional().describe('Substring of address or subject, without case'),
      status: z.enum(recipientStatuses).optional(),
      campaignId: idText.optional(),
      from: instant.optional(),
      to: instant.optional(),
      cursor: z.string().max(100).optional().describe('nextCursor of the previous page'),
      limit: pageSize(100, 20),
    }),
    output: z.object({ messages: z.array(message), nextCursor }),
    errors: ['PARAMETERS_INVALID'],
    transaction: 'read',
    keywords: 'find an email, search the outbox, sent mail log, did it arrive',
    example: { status: 'PENDING', limit: 10 },
  },
  get_message: {
    summary: "Returns a message with the mail server's replies, and its content while that is kept.",
    category: 'deliverability',
    scope: 'read',
    rules: [
      'replies holds the last reply to a delivery attempt, and reports that came later and are kept for 30 days.',
      'content is null for messages of campaigns and workflows, which are rendered at the attempt and not stored.',
    ],
    input: z.strictObject({ messageId: idText }),
    output: z.object({
      message,
      replies: z.array(
        z.object({
          kind: z.string().describe('REPLY for the answer to an attempt, else the class of the report'),
          at: timestamp.nullable(),
          code: z.int().nullable(),
          enhancedCode: z.string().nullable(),
          text: z.string(),
        }),
      ),
      content: z.object({ html: z.string().nullable(), text: z.string().nullable() }).nullable(),
    }),
    errors: ['MESSAGE_NOT_FOUND', 'MESSAGE_IN_PROGRESS'],
    transaction: 'read',
    keywords: 'one email, delivery details, server reply, bounce text, what was sent',
    example: { messageId: '{messageId}' },
  },
});
