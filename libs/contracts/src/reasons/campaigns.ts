import { missing, reason } from './reason.js';

/** The call that returns a campaign to DRAFT, by its status; in any other status, only a copy becomes a DRAFT. */
const backToDraft: Record<string, string> = {
  SCHEDULED: 'cancel_campaign_schedule returns it to DRAFT.',
  ARCHIVED: 'unarchive_campaign returns it to DRAFT.',
};

const noCampaign = missing('campaign', 'list_campaigns');

export const campaignReasons = {
  CAMPAIGN_NOT_FOUND: reason<Parameters<typeof noCampaign.message>[0] & { internal?: boolean }>(
    noCampaign.code,
    ({ internal, ...asked }) =>
      internal
        ? `"${asked.id}" is an email of a workflow, which sends it. Its statistics are in get_workflow (stats.steps[].emails).`
        : noCampaign.message(asked),
  ),
  CAMPAIGN_NOT_DRAFT: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The campaign is ${status}; only a DRAFT campaign can be changed, scheduled or archived. ${backToDraft[status] ?? 'duplicate_campaign copies it to a new DRAFT.'}`,
  ),
  CAMPAIGN_NOT_SCHEDULED: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The campaign is ${status}; only a SCHEDULED campaign can return to DRAFT.${status === 'SENDING' ? ' To hold the unsent messages, use pause_campaign; to end the send, use stop_campaign.' : ''}`,
  ),
  CAMPAIGN_NOT_ARCHIVED: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) => `The campaign is ${status}; only an ARCHIVED campaign can be unarchived.`,
  ),
  CAMPAIGN_NOT_RESTORABLE: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The campaign is ${status}; only a DRAFT, SCHEDULED or ARCHIVED campaign can be restored. To continue from it, use duplicate_campaign.`,
  ),
  HISTORY_ENTRY_NOT_FOUND: missing('history entry', 'list_campaign_history'),
  CAMPAIGN_NOT_SENDING: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) => `The campaign is ${status}; only a SENDING campaign can be paused, resumed or stopped.`,
  ),
  CAMPAIGN_STARTING: reason<object>('INVALID_STATE', () => 'The send is starting. Try again in a second.'),
  CAMPAIGN_STOPPING: reason<object>(
    'INVALID_STATE',
    () =>
      'The campaign was stopped and is about to end. It cannot be resumed. Once it has ended, retry or duplicate it.',
  ),
  CAMPAIGN_NOT_SENT: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The campaign is ${status}. Only a campaign whose send has started (SENDING, SENT or FAILED) can be retried.`,
  ),
  CONTENT_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  CONTENT_AND_OPERATIONS: reason<object>(
    'VALIDATION_ERROR',
    () => 'Send either content (the whole document) or operations (single edits), not both.',
  ),
  NOTHING_TO_CHANGE: reason<object>(
    'VALIDATION_ERROR',
    () => 'The call contains no change. Send at least one field to change.',
  ),
  OPERATION_FAILED: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  SNIPPET_NOT_FOUND: missing('snippet', 'get_email_snippets'),
  SKILL_PAGE_NOT_FOUND: reason<{ page: string; pages: readonly string[] }>(
    'NOT_FOUND',
    ({ page, pages }) => `There is no page "${page}"; the pages are ${pages.join(', ')}.`,
  ),
  SNIPPET_NAME_TAKEN: reason<{ name: string; snippetId: string }>(
    'CONFLICT',
    ({ name, snippetId }) =>
      `A snippet named "${name}" already exists (${snippetId}). Names are compared without case, including archived snippets.`,
  ),
  SNIPPET_NAME_IN_USE: reason<{ name: string; users: readonly string[] }>(
    'CONFLICT',
    ({ name, users }) => `The snippet is used as {{snippet:${name}}} by ${users.join(', ')}. Change them first.`,
  ),
  UNSUBSCRIBE_LINK_MISSING: reason<object>(
    'REFUSED',
    () =>
      'The content has no unsubscribe link. Add a link whose href is {{unsubscribeUrl}} (a footer or snippet counts) and schedule again.',
  ),
  SENDER_MISSING: reason<object>(
    'REFUSED',
    () =>
      'The campaign has no sender. Choose one from get_email_senders with edit_campaign (senderId) and schedule again.',
  ),
  SENDER_NOT_FOUND: missing('sender', 'get_email_senders'),
  SENDER_DOMAIN_UNVERIFIED: reason<{ domain: string }>(
    'REFUSED',
    ({ domain }) => `The sender's domain ${domain} is not VERIFIED. Add its DNS records and run verify_domain first.`,
  ),
  SCHEDULE_IN_THE_PAST: reason<{ at: string }>(
    'REFUSED',
    ({ at }) => `${at} is in the past. Choose a later time, or leave out the date to send now.`,
  ),
  SCHEDULE_PARAMETERS: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  NO_RECIPIENTS: reason<object>(
    'REFUSED',
    () => "No SUBSCRIBED subscriber matches the campaign's filters. Change them with update_campaign_filters.",
  ),
  TIMEZONE_UNKNOWN: reason<{ timezone: string }>(
    'VALIDATION_ERROR',
    ({ timezone }) => `"${timezone}" is not an IANA time zone; use a name such as Europe/Paris.`,
  ),
  URL_NOT_FETCHABLE: reason<object>(
    'REFUSED',
    () =>
      'The address could not be fetched. It must be a public http or https address that responds within 15 seconds and at most 3 redirects.',
  ),
  IMAGE_TOO_LARGE: reason<object>('REFUSED', () => 'The image has 2 MB or more. Reduce it and upload it again.'),
  IMAGE_INVALID: reason<object>(
    'REFUSED',
    () =>
      'The upload is not a PNG, JPEG, GIF or WebP image. Export an SVG as PNG, because mail clients do not show SVG.',
  ),
  IMAGE_DAMAGED: reason<object>(
    'REFUSED',
    () => 'The image is incomplete or damaged. Save it again and repeat the upload.',
  ),
  IMAGE_DIMENSIONS_TOO_LARGE: reason<object>(
    'REFUSED',
    () =>
      'The image has more than 25 megapixels (18 as WebP), or its animation more than 500 frames or 100 megapixels in total. Scale it down and upload it again.',
  ),
  IMAGE_NOT_FOUND: missing('image', 'list_images'),
  PAGE_NOT_READABLE: reason<object>('REFUSED', () => 'The address contains no HTML or plain text of at most 5 MB.'),
};
