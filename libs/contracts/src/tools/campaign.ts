import { z } from 'zod';
import { emailText, filters, idText, oneAddress, pageSize, timestamp } from '../common.js';
import { defineTools } from '../define.js';
import { sendCounters } from '../requests/delivery.js';

export const campaignStatuses = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'ARCHIVED', 'FAILED'] as const;
export const contentType = z.enum(['MAILY', 'PLATE', 'MARKDOWN']);
export const campaignStatus = z.enum(campaignStatuses);

/** A rich-text document (object or JSON text), Plate's array, or Markdown text; checked by the content rules. */
const content = z.unknown();
/** Text, or null / an empty string to clear. */
const clearableText = z.string().trim().max(998).nullish();
/** A single address, as text or a one-item array; null or an empty string clears. */
const replyTo = z
  .union([emailText, z.literal(''), z.array(emailText).length(1), z.null()], { error: oneAddress })
  .optional();

export const contentWarning = z.object({
  code: z.string(),
  message: z.string(),
  path: z.array(z.union([z.string(), z.int()])).optional(),
});
export const contentWarnings = z.array(contentWarning).optional();

const senderSummary = z.object({ id: z.string(), name: z.string(), email: z.string() });

export const campaignSummary = z.object({
  id: z.string(),
  name: z.string(),
  subject: z.string(),
  preview: z.string().nullable(),
  contentType,
  senderId: z.string().nullable(),
  replyTo: z.string().nullable(),
  status: campaignStatus,
  scheduledAt: timestamp.nullable(),
  timezone: z.string().nullable(),
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  failure: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const campaign = campaignSummary.extend({
  content: z.unknown().describe('A document object, or text for MARKDOWN'),
  sender: senderSummary.nullable(),
  recipientFilters: filters,
});

const one = { campaign, campaignId: z.string() };
const byId = { campaignId: idText };

export const campaignTools = defineTools('campaign', {
  list_campaigns: {
    summary: 'Lists campaigns by page, newest first. ARCHIVED campaigns are listed only if status requests them.',
    category: 'campaigns',
    scope: 'read',
    input: z.strictObject({
      limit: pageSize(100, 20),
      page: z.int().min(1).max(1_000_000).default(1),
      status: campaignStatus.optional(),
      query: z.string().max(255).optional().describe('Substring of name or subject, without case'),
    }),
    output: z.object({
      campaigns: z.array(campaignSummary),
      total: z.int(),
      page: z.int(),
      limit: z.int(),
      pageCount: z.int(),
    }),
    errors: [],
    transaction: 'read',
    core: true,
    keywords:
      'show newsletters, all mailings, drafts, sent, which, overview, archive of issues, what did we send this year, past mails',
    example: { limit: 10 },
  },
  create_campaign: {
    summary: 'Creates a DRAFT campaign without sending it.',
    category: 'campaigns',
    scope: 'write',
    rules: [
      'Without content, the campaign gets a default template with a greeting and an unsubscribe link.',
      'Without senderId, the default sender is used, else the most recently used one, else any. If there is none, senderId is null.',
    ],
    input: z.strictObject({
      subject: z.string().trim().min(1).max(998),
      name: z.string().trim().min(1).max(255).default('Untitled'),
      preview: clearableText,
      content: content.optional(),
      contentType: contentType.default('MAILY'),
      senderId: idText.optional(),
      replyTo,
    }),
    output: z.object({ ...one, warnings: contentWarnings }),
    errors: ['CONTENT_INVALID', 'SENDER_NOT_FOUND', 'PARAMETERS_INVALID', 'SNIPPET_NOT_FOUND', 'FILTER_TARGET_GONE'],
    transaction: 'own',
    core: true,
    keywords: 'write a newsletter, new mailing, draft, compose, start, prepare an announcement, make',
    example: {
      name: 'Spring news',
      subject: 'Hello {{firstName | "there"}}',
      contentType: 'MARKDOWN',
      content: '# Hello\n\nSpring is here.\n\n[Unsubscribe]({{unsubscribeUrl}})',
    },
  },
  get_campaign: {
    summary: 'Returns a campaign with content, sender, reply address and recipient filters.',
    category: 'campaigns',
    scope: 'read',
    input: z.strictObject(byId),
    output: z.object({
      ...one,
      ...campaign.pick({
        senderId: true,
        sender: true,
        replyTo: true,
        recipientFilters: true,
        content: true,
        preview: true,
        contentType: true,
      }).shape,
    }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'own',
    core: true,
    keywords: 'open a newsletter, show one mailing, read a draft, content, subject, what is in it, details',
    example: { campaignId: '{campaignId}' },
  },
  edit_campaign: {
    summary:
      'Updates the metadata of a DRAFT campaign, and its content as a whole (content) or by single edits (operations).',
    category: 'campaigns',
    scope: 'write',
    locks: true,
    rules: [
      'This tool names the campaign by id; the other tools use campaignId.',
      'content and operations exclude each other. Metadata may accompany either or be sent alone.',
      'Operations are applied in order, all or none. MARKDOWN content accepts replace_text only.',
      'contentType can change only together with content. null clears preview and replyTo.',
    ],
    input: z.strictObject({
      id: idText,
      name: z.string().trim().min(1).max(255).optional(),
      subject: z.string().trim().min(1).max(998).optional(),
      preview: clearableText,
      content: content.optional(),
      operations: z
        .array(
          z.looseObject({
            op: z.enum(['replace_text', 'insert_node', 'append_node', 'prepend_node', 'remove_node', 'replace_node']),
            search: z.string().max(10_000).optional(),
          }),
        )
        .min(1)
        .max(100)
        .optional(),
      senderId: idText.optional(),
      replyTo,
      contentType: contentType.optional(),
    }),
    output: z.object({
      ...one,
      operations: z.array(z.object({ op: z.string(), matched: z.int() })).optional(),
      warnings: contentWarnings,
    }),
    errors: [
      'CAMPAIGN_NOT_FOUND',
      'CAMPAIGN_NOT_DRAFT',
      'CONTENT_AND_OPERATIONS',
      'CONTENT_INVALID',
      'OPERATION_FAILED',
      'NOTHING_TO_CHANGE',
      'SENDER_NOT_FOUND',
      'PARAMETERS_INVALID',
      'SNIPPET_NOT_FOUND',
      'FILTER_TARGET_GONE',
    ],
    transaction: 'own',
    core: true,
    keywords:
      'change a newsletter, rewrite, subject line, replace text, paragraph, correct a typo, title, wording, preview text, sender',
    example: { id: '{campaignId}', subject: 'Spring is here' },
  },
  update_campaign_filters: {
    summary:
      'Replaces the recipient filters of a DRAFT campaign and returns how many subscribers match. Filters are combined with AND.',
    category: 'campaigns',
    scope: 'write',
    locks: true,
    idempotent: true,
    rules: ['An empty list selects every SUBSCRIBED subscriber.'],
    input: z.strictObject({ ...byId, filters }),
    output: z.object({ ...one, recipientCount: z.int() }),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_DRAFT', 'FILTERS_INVALID', 'FILTER_TARGET_GONE', 'SEGMENT_CYCLE'],
    transaction: 'own',
    core: true,
    keywords:
      'who receives it, choose recipients, audience of a newsletter, only to people, target, send to a group, restrict, exclude',
    example: {
      campaignId: '{campaignId}',
      filters: [{ type: 'TAG', field: 'tags', operator: 'BELONGS_TO_ANY', tagNames: ['customer'] }],
    },
  },
  render_campaign: {
    summary: 'Renders the final output of a campaign with snippets, variables and footer. Nothing is sent.',
    category: 'campaigns',
    scope: 'read',
    rules: [
      'Without subscriberId, all conditional blocks are included. Variables show their fallback or their name in brackets.',
    ],
    input: z.strictObject({
      ...byId,
      subscriberId: idText.optional().describe('Subscriber id. Use get_subscriber to find it by email.'),
      format: z.enum(['html', 'text', 'both']).default('both'),
    }),
    output: z.object({
      subject: z.string(),
      preview: z.string().nullable(),
      html: z.string().optional(),
      text: z.string().optional(),
      warnings: z.array(contentWarning),
    }),
    errors: ['CAMPAIGN_NOT_FOUND', 'SUBSCRIBER_NOT_FOUND', 'SNIPPET_NOT_FOUND', 'FILTER_TARGET_GONE'],
    transaction: 'own',
    core: true,
    keywords: 'preview, what will it look like, show the html, as a person sees it, appearance, check the layout, view',
    example: { campaignId: '{campaignId}', format: 'text' },
  },
  send_test_email: {
    summary: "Sends a test copy of a campaign's current content to one to five addresses.",
    category: 'campaigns',
    scope: 'test',
    rules: [
      "The subject begins with '[Test]'. The copy is not counted or tracked, and its recipient-specific links have no effect.",
      'The copy is rendered for the newest SUBSCRIBED subscriber who matches recipientFilters, else for the newest of all. renderedFor names that subscriber.',
      'If the organization has no subscriber, renderedFor is null and all conditional blocks are included. Variables other than email then show their fallback or their name in brackets.',
      'A real mailbox receives at most 5 messages in 10 minutes and 20 in 24 hours; further copies are returned as REFUSED.',
    ],
    input: z.strictObject({ ...byId, emails: z.array(emailText).min(1).max(5) }),
    output: z.object({
      results: z.array(
        z.object({
          email: z.string(),
          status: z.enum(['QUEUED', 'REFUSED']),
          messageId: z.string().nullable(),
          error: z.string().optional(),
        }),
      ),
      renderedFor: z.object({ id: z.string(), email: z.string() }).nullable(),
    }),
    errors: [
      'CAMPAIGN_NOT_FOUND',
      'PARAMETERS_INVALID',
      'SENDER_MISSING',
      'SENDER_DOMAIN_UNVERIFIED',
      'SNIPPET_NOT_FOUND',
      'FILTER_TARGET_GONE',
      'RECIPIENT_GUARD_REACHED',
    ],
    transaction: 'own',
    core: true,
    keywords: 'trial copy, mail the draft to me, proof, sample to a colleague, look at it in my inbox, try out',
    example: { campaignId: '{campaignId}', emails: ['ada@example.com'] },
  },
  schedule_campaign: {
    summary: 'Schedules a DRAFT campaign, or sends it now if no date is given.',
    category: 'campaigns',
    scope: 'send',
    locks: true,
    confirm: true,
    rules: [
      "The content must contain an unsubscribe link, and the sender's domain must be VERIFIED.",
      'date is YYYY-MM-DD in timezone (midnight without hours). It may also be a full instant with offset, then without hours and minutes.',
      'minutes requires hours, and hours requires date. A past time is refused.',
    ],
    input: z.strictObject({
      ...byId,
      date: z.string().trim().max(40).optional(),
      hours: z.int().min(0).max(23).optional(),
      minutes: z.int().min(0).max(59).optional(),
      timezone: z.string().trim().min(1).max(64).default('Europe/Paris'),
    }),
    output: z.object({
      ...one,
      scheduledAt: timestamp,
      timezone: z.string(),
      recipientCount: z.int(),
      warnings: z.array(z.string()).optional(),
    }),
    errors: [
      'CAMPAIGN_NOT_FOUND',
      'CAMPAIGN_NOT_DRAFT',
      'UNSUBSCRIBE_LINK_MISSING',
      'SENDER_MISSING',
      'SENDER_DOMAIN_UNVERIFIED',
      'SCHEDULE_IN_THE_PAST',
      'SCHEDULE_PARAMETERS',
      'TIMEZONE_UNKNOWN',
      'NO_RECIPIENTS',
      'QUOTA_REACHED',
      'FILTER_TARGET_GONE',
      'SEGMENT_CYCLE',
      'SNIPPET_NOT_FOUND',
      'CONTENT_INVALID',
    ],
    transaction: 'own',
    core: true,
    keywords:
      'send a newsletter, go out now, send later, tomorrow, plan, launch, deliver, set the time, dispatch, to everyone',
    example: { campaignId: '{campaignId}', date: '2037-05-01', hours: 9, timezone: 'Europe/Paris' },
  },
  cancel_campaign_schedule: {
    summary: 'Cancels the schedule of a SCHEDULED campaign and returns it to DRAFT.',
    category: 'campaigns',
    scope: 'write',
    locks: true,
    rules: ['Refused once the campaign is SENDING.'],
    input: z.strictObject(byId),
    output: z.object(one),
    errors: ['CAMPAIGN_NOT_FOUND', 'CAMPAIGN_NOT_SCHEDULED'],
    transaction: 'own',
    core: true,
    keywords: 'stop a planned newsletter, do not send, call off, abort, unschedule, withdraw, postpone, halt',
    example: { campaignId: '{scheduledCampaignId}' },
  },
  get_campaign_progress: {
    summary:
      'Returns the progress of a campaign: messages sent, failed, in doubt and pending, and recipients skipped by reason.',
    category: 'campaigns',
    scope: 'read',
    rules: ['sent counts messages accepted by the relay; total = sent + failed + skipped + inDoubt + pending.'],
    input: z.strictObject(byId),
    output: z.object({
      campaignId: z.string(),
      status: campaignStatus,
      ...sendCounters,
      percent: z.number(),
      paused: z.boolean(),
      pausedReason: z.string().nullable(),
      waitingFor: z
        .string()
        .nullable()
        .describe('Why no message is being sent at the moment; null if sending is not blocked'),
      startedAt: timestamp.nullable(),
      finishedAt: timestamp.nullable(),
      ratePerSecond: z.number(),
    }),
    errors: ['CAMPAIGN_NOT_FOUND'],
    transaction: 'own',
    core: true,
    keywords: 'how far, still sending, done yet, state of the send, remaining, speed, stuck, percent, went out',
    example: { campaignId: '{campaignId}' },
  },
});
