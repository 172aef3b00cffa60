import type { ErrorCode } from './error-code.js';

/** One entry of the catalogue: the class of a refusal and its sentence for the caller. */
interface ReasonEntry<P> {
  code: ErrorCode;
  message: (params: P) => string;
}

const reason = <P>(code: ErrorCode, message: (params: P) => string): ReasonEntry<P> => ({ code, message });
/** @param finder the tool that tells which there are */
const missing = (noun: string, finder?: string) =>
  reason<{ id: string }>(
    'NOT_FOUND',
    ({ id }) =>
      `No ${noun} with the id or name "${id}" exists in this organization.${finder ? ` ${finder} tells which there are, with their ids.` : ''}`,
  );
const inUse = <P extends { name: string }>(noun: string) =>
  reason<P & { users: readonly string[] }>(
    'CONFLICT',
    ({ name, users }) => `The ${noun} "${name}" is used by ${users.join(', ')}. Change them first.`,
  );

/** How a campaign that is no DRAFT becomes one; elsewhere only a copy does. */
const backToDraft: Record<string, string> = {
  SCHEDULED: 'cancel_campaign_schedule takes it back to DRAFT.',
  ARCHIVED: 'unarchive_campaign takes it back to DRAFT.',
};

/**
 * Every refusal a handler may answer. A message says what was refused, the actual state, and what to do next; it never
 * holds internals. NOT_FOUND is the same for an unknown id and for another organization's.
 */
export const reasons = {
  // Calls in general
  PARAMETERS_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  IDENTIFIER_MISSING: reason<{ names: string[] }>(
    'VALIDATION_ERROR',
    ({ names }) => `One of ${names.join(' or ')} is required.`,
  ),
  IDENTIFIERS_DISAGREE: reason<{ names: string[] }>(
    'VALIDATION_ERROR',
    ({ names }) => `${names.join(' and ')} name different records; send only one of them.`,
  ),
  IDEMPOTENCY_KEY_REUSED: reason<{ key: string }>(
    'CONFLICT',
    ({ key }) =>
      `The idempotency key "${key}" was used in the last 24 hours with another request. Use a new key for a new request.`,
  ),
  ANSWER_LOST: reason<object>(
    'CONFLICT',
    () =>
      'This call was carried out, but its process ended before the answer was recorded. Read the record to see what it did; it is not done again.',
  ),
  EXPECTED_UPDATED_AT_STALE: reason<{ actual: string }>(
    'STALE_UPDATE',
    ({ actual }) =>
      `The record was changed since it was read: its updatedAt is now ${actual}. Read it again and repeat with that value.`,
  ),
  SERVICE_UNAVAILABLE: reason<{ service: string }>(
    'UNAVAILABLE',
    ({ service }) => `The ${service} service does not answer at the moment. Nothing was done; try again shortly.`,
  ),
  DATABASE_UNAVAILABLE: reason<{ service: string; trouble: string }>(
    'UNAVAILABLE',
    ({ service, trouble }) =>
      `The database of the ${service} service ${trouble}. Try again shortly; a call that changes something with the same Idempotency-Key.`,
  ),
  DEADLINE_EXCEEDED: reason<{ tool: string }>(
    'TIMEOUT',
    ({ tool }) =>
      `${tool} did not answer in time. The action may have happened: repeat the same call with the same Idempotency-Key to learn its result without repeating it.`,
  ),
  RESULT_TOO_LARGE: reason<{ bytesMax: number }>(
    'INTERNAL',
    ({ bytesMax }) => `The answer is larger than ${bytesMax / 1_000_000} MB. Ask for fewer records or fields.`,
  ),
  DEFECT: reason<object>('INTERNAL', () => 'Something went wrong on our side. It was recorded with this request id.'),

  // The door of the gateway
  TOKEN_MISSING: reason<object>(
    'UNAUTHENTICATED',
    () => 'An API token is required: send the header "Authorization: Bearer <token>".',
  ),
  TOKEN_REFUSED: reason<object>('UNAUTHENTICATED', () => 'The API token is unknown, expired or revoked.'),
  TOKEN_SCOPE_MISSING: reason<{ tool: string; scope: string; scopes: readonly string[] }>(
    'FORBIDDEN',
    ({ tool, scope, scopes }) =>
      `${tool} needs a token with the scope "${scope}"; this one has ${scopes.join(', ')}. Use another token.`,
  ),
  TOOL_UNKNOWN: reason<{ name: string; nearest: string | null }>(
    'TOOL_NOT_FOUND',
    ({ name, nearest }) =>
      `No tool is named "${name}".${nearest ? ` Did you mean ${nearest}?` : ''} GET /api/v2/tools lists all.`,
  ),
  ROUTE_UNKNOWN: reason<{ method: string; path: string }>(
    'NOT_FOUND',
    ({ method, path }) => `Nothing answers ${method} ${path}. Tools are called with POST /api/v2/tools/{name}.`,
  ),
  REQUEST_MALFORMED: reason<{ problem: string }>(
    'VALIDATION_ERROR',
    ({ problem }) => `The HTTP request cannot be read: ${problem}.`,
  ),
  RATE_LIMIT_REACHED: reason<{ limit: number }>(
    'RATE_LIMITED',
    ({ limit }) => `The organization's limit of ${limit} calls a minute is reached. Repeat after Retry-After seconds.`,
  ),
  BODY_NOT_JSON: reason<{ problem: string }>('INVALID_JSON', ({ problem }) => `The body is not JSON: ${problem}.`),
  BODY_TOO_LARGE: reason<{ bytesMax: number }>(
    'PAYLOAD_TOO_LARGE',
    ({ bytesMax }) =>
      `The body is larger than the ${bytesMax / 1_048_576} MB that this call takes. Send less at a time.`,
  ),
  CONTENT_TYPE_UNSUPPORTED: reason<{ contentType: string }>(
    'UNSUPPORTED_MEDIA_TYPE',
    ({ contentType }) => `The body must be application/json, not ${contentType || 'of an unnamed type'}.`,
  ),
  IDEMPOTENCY_KEY_INVALID: reason<object>(
    'VALIDATION_ERROR',
    () => 'The header Idempotency-Key must have 1 to 255 visible ASCII characters.',
  ),
  APPROVAL_REJECTED: reason<{ action: string; until: string }>(
    'FORBIDDEN',
    ({ action, until }) =>
      `A person rejected "${action}" (this very call), which holds until ${until}. Do not repeat it; ask them what they want instead.`,
  ),
  APPROVAL_NOT_FOUND: missing('approval'),
  APPROVAL_DECIDED: reason<{ state: string; expiresAt: string }>(
    'INVALID_STATE',
    ({ state, expiresAt }) =>
      `The approval is ${state} (until ${expiresAt}); only what is PENDING can be decided. The call must be made again.`,
  ),

  // Tags
  TAG_NOT_FOUND: missing('tag', 'list_tags'),
  TAG_NAME_TAKEN: reason<{ name: string; tagId: string }>(
    'CONFLICT',
    ({ name, tagId }) => `A tag named "${name}" exists already (${tagId}). Tag names are compared without case.`,
  ),

  // Subscribers
  SUBSCRIBER_NOT_FOUND: missing('subscriber', 'list_subscribers'),
  EMAIL_TAKEN: reason<{ email: string; subscriberId: string }>(
    'CONFLICT',
    ({ email, subscriberId }) => `${email} belongs to another subscriber already (${subscriberId}).`,
  ),
  FIELD_RESERVED: reason<{ name: string }>(
    'VALIDATION_ERROR',
    ({ name }) => `"${name}" is a reserved name and cannot be a custom field.`,
  ),

  TAG_IN_USE: inUse<{ name: string }>('tag'),
  FIELD_NOT_FOUND: missing('custom field', 'get_custom_fields'),
  FIELD_NAME_TAKEN: reason<{ name: string; fieldId: string }>(
    'CONFLICT',
    ({ name, fieldId }) =>
      `A custom field named "${name}" exists already (${fieldId}). Field names are compared without case.`,
  ),
  FIELD_IN_USE: inUse<{ name: string }>('custom field'),
  SUBSCRIBER_HARD_BOUNCED: reason<{ category: string }>(
    'REFUSED',
    ({ category }) =>
      `The address bounced for good (${category}): mail to it harms the reputation of the sender. Repeat with force true only if the mailbox is known to work again.`,
  ),
  SUBSCRIBER_BANNED: reason<object>(
    'INVALID_STATE',
    () => 'The subscriber is BANNED, and only the operator lifts a ban.',
  ),
  SUBSCRIBER_NOT_SUPPRESSED: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The subscriber is ${status}; only BOUNCED, COMPLAINED and UNSUBSCRIBED subscribers can be reactivated.`,
  ),
  EXPORT_NOT_FOUND: missing('export', 'list_subscriber_exports'),

  // Segments and filters
  SEGMENT_NOT_FOUND: missing('segment', 'list_segments'),
  SEGMENT_NAME_TAKEN: reason<{ name: string; segmentId: string }>(
    'CONFLICT',
    ({ name, segmentId }) => `A segment named "${name}" exists already (${segmentId}).`,
  ),
  SEGMENT_IN_USE: inUse<{ name: string }>('segment'),
  FILTERS_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  FILTER_TARGET_GONE: reason<{ what: string }>(
    'INVALID_STATE',
    ({ what }) => `A filter names ${what}, which no longer exists. Change the filter.`,
  ),
  SEGMENT_CYCLE: reason<{ path: string }>(
    'REFUSED',
    ({ path }) => `The segment would contain itself: ${path}. Remove one of these inclusions.`,
  ),

  // Campaigns
  CAMPAIGN_NOT_FOUND: missing('campaign', 'list_campaigns'),
  CAMPAIGN_NOT_DRAFT: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The campaign is ${status}; only a DRAFT campaign can be changed, scheduled or archived. ${backToDraft[status] ?? 'duplicate_campaign makes a DRAFT of it.'}`,
  ),
  CAMPAIGN_NOT_SCHEDULED: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) => `The campaign is ${status}; only a SCHEDULED campaign can be taken back to DRAFT.`,
  ),
  CAMPAIGN_NOT_ARCHIVED: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) => `The campaign is ${status}; only an ARCHIVED campaign can be unarchived.`,
  ),
  CAMPAIGN_NOT_RESTORABLE: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The campaign is ${status}; only a DRAFT, SCHEDULED or ARCHIVED campaign can be restored. Duplicate it to go on from it.`,
  ),
  HISTORY_ENTRY_NOT_FOUND: missing('history entry', 'list_campaign_history'),
  CAMPAIGN_NOT_SENDING: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) => `The campaign is ${status}; only a SENDING campaign can be paused, resumed or stopped.`,
  ),
  CAMPAIGN_STARTING: reason<object>(
    'INVALID_STATE',
    () => 'The campaign is being handed over for sending at this moment. Try again in a second.',
  ),
  CAMPAIGN_STOPPING: reason<object>(
    'INVALID_STATE',
    () =>
      'The campaign was stopped, and is about to end. It cannot be resumed; retry it, or duplicate it, when it has ended.',
  ),
  CAMPAIGN_NOT_SENT: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The campaign is ${status}; there is somebody to try again only in one that went out: SENDING, SENT, or FAILED on the way.`,
  ),
  CONTENT_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  CONTENT_AND_OPERATIONS: reason<object>(
    'VALIDATION_ERROR',
    () => 'Send either content (the whole document) or operations (single edits), not both.',
  ),
  NOTHING_TO_CHANGE: reason<object>(
    'VALIDATION_ERROR',
    () => 'No change was given. Name at least one field to change.',
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
      `A snippet named "${name}" exists already (${snippetId}). Snippet names are compared without case, archived ones too.`,
  ),
  SNIPPET_NAME_IN_USE: reason<{ name: string; users: readonly string[] }>(
    'CONFLICT',
    ({ name, users }) => `${users.join(', ')} name the snippet as {{snippet:${name}}}. Change them first.`,
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
    () =>
      'The campaign has nobody to go to: no SUBSCRIBED subscriber matches its filters. Change the filters with update_campaign_filters.',
  ),
  TIMEZONE_UNKNOWN: reason<{ timezone: string }>(
    'VALIDATION_ERROR',
    ({ timezone }) => `"${timezone}" is not an IANA time zone; use a name such as Europe/Paris.`,
  ),

  // Images and web pages
  URL_NOT_FETCHABLE: reason<object>(
    'REFUSED',
    () =>
      'The address could not be fetched. It must be a public http or https address that answers within 15 seconds, after at most 3 redirects.',
  ),
  IMAGE_TOO_LARGE: reason<object>('REFUSED', () => 'The image has 2 MB or more. Make it smaller and upload it again.'),
  IMAGE_INVALID: reason<object>(
    'REFUSED',
    () => 'The address holds no PNG, JPEG, GIF or WebP image (mail clients do not show SVG: export it as PNG).',
  ),
  IMAGE_DAMAGED: reason<object>('REFUSED', () => 'The image is cut off or damaged. Save it anew and upload it again.'),
  IMAGE_DIMENSIONS_TOO_LARGE: reason<object>(
    'REFUSED',
    () =>
      'The image has more than 25 megapixels (18 as WebP), or its animation more than 500 frames or 100 megapixels in all. Scale it down and upload it again.',
  ),
  IMAGE_NOT_FOUND: missing('image', 'list_images'),
  PAGE_NOT_READABLE: reason<object>('REFUSED', () => 'The address holds no HTML or plain text of at most 5 MB.'),

  // Workflows
  WORKFLOW_NOT_FOUND: missing('workflow', 'list_workflows'),
  GRAPH_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  WORKFLOW_NOT_PUBLISHED: reason<object>(
    'INVALID_STATE',
    () => 'The workflow was never published. Configure its draft and publish it with publish_workflow first.',
  ),
  WORKFLOW_ARCHIVED: reason<object>(
    'INVALID_STATE',
    () => 'The workflow is ARCHIVED and takes no new version. Set another status with update_workflow_status first.',
  ),
  WORKFLOW_NOT_ACTIVE: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) => `The workflow is ${status}; only an ACTIVE workflow takes subscribers.`,
  ),
  WORKFLOW_PAUSED: reason<object>(
    'INVALID_STATE',
    () => 'The workflow is PAUSED, which holds all its timers. Set it ACTIVE with update_workflow_status first.',
  ),
  STEP_NOT_FOUND: reason<{ stepId: string; steps: readonly string[] }>(
    'NOT_FOUND',
    ({ stepId, steps }) => `The published version has no step "${stepId}"; its steps are ${steps.join(', ')}.`,
  ),
  ENROLMENT_SKIPPED: reason<{ why: string }>('INVALID_STATE', ({ why }) => `The subscriber was not enrolled: ${why}.`),
  RUN_NOT_FOUND: missing('run of this workflow and subscriber', 'get_subscriber_workflow_runs'),
  RUN_NOT_WAITING: reason<object>(
    'INVALID_STATE',
    () => 'No run of this subscriber waits at a WAIT or WAIT_UNTIL step of this workflow.',
  ),
  RUNS_AMBIGUOUS: reason<{ runIds: readonly string[] }>(
    'CONFLICT',
    ({ runIds }) => `Several runs are waiting; say which by workflowSubscriberId: ${runIds.join(', ')}.`,
  ),
  WORKFLOW_GROUP_NOT_FOUND: missing('workflow group', 'list_workflow_groups'),
  WORKFLOW_GROUP_NAME_TAKEN: reason<{ name: string; groupId: string }>(
    'CONFLICT',
    ({ name, groupId }) =>
      `A workflow group named "${name}" exists already (${groupId}). Group names are compared without case.`,
  ),
  WORKFLOW_GROUP_NAME_DIFFERS: reason<{ name: string }>(
    'CONFLICT',
    ({ name }) => `The group is named "${name}", which is not the expected name. Nothing was deleted.`,
  ),
  WORKFLOW_GROUP_IN_USE: inUse<{ name: string }>('workflow group'),

  // Sends
  RECIPIENT_GUARD_REACHED: reason<{ email: string }>(
    'RECIPIENT_GUARD',
    ({ email }) =>
      `${email} was sent 5 messages within 10 minutes or 20 within 24 hours. Nothing was sent; try again later or use a test address such as ada@example.com.`,
  ),
  RECIPIENT_SUPPRESSED: reason<{ email: string; mark: string }>(
    'REFUSED',
    ({ email, mark }) =>
      `${email} is ${mark}, which forbids transactional mail too. Nothing was sent to anybody; ${mark === 'BANNED' ? 'only the operator lifts a ban' : 'reactivate_subscriber lifts it when the mailbox is known to want and take mail'}.`,
  ),
  SEND_NOT_FOUND: missing('send'),

  // Domains and senders
  DOMAIN_NOT_FOUND: missing('sending domain', 'list_domains'),
  WEB_DOMAIN_NOT_FOUND: missing('web domain', 'list_web_domains'),
  DOMAIN_INVALID: reason<{ domain: string; problem: string }>(
    'VALIDATION_ERROR',
    ({ domain, problem }) => `"${domain}" ${problem}. Give a domain such as example.org, without scheme, port or path.`,
  ),
  DOMAIN_EXISTS: reason<{ domain: string; domainId: string }>(
    'CONFLICT',
    ({ domain, domainId }) =>
      `${domain} is a domain of this organization already (${domainId}); get_domain_dns_records tells its records.`,
  ),
  DOMAIN_TAKEN: reason<{ domain: string }>(
    'CONFLICT',
    ({ domain }) =>
      `${domain} is verified by another organization here. It is free again 72 hours after that organization's records have left DNS.`,
  ),
  WEB_DOMAIN_EXISTS: reason<{ hostname: string; webDomainId: string | null }>(
    'CONFLICT',
    ({ hostname, webDomainId }) =>
      `${hostname} is a web domain of ${webDomainId ? `this organization already (${webDomainId})` : 'another organization'}.`,
  ),
  SENDER_EXISTS: reason<{ email: string; senderId: string }>(
    'CONFLICT',
    ({ email, senderId }) => `${email} is a sender already (${senderId}). Local parts are compared without case.`,
  ),
  SENDER_LOCAL_PART_INVALID: reason<{ localPart: string }>(
    'VALIDATION_ERROR',
    ({ localPart }) =>
      `"${localPart}" cannot stand before the @ of a sender: use at most 64 ASCII letters, digits and signs such as . - _ +, with no dot at either end or twice in a row.`,
  ),
  SENDER_REPLY_TO_INVALID: reason<{ replyTo: string; problem: string }>(
    'VALIDATION_ERROR',
    ({ replyTo, problem }) => `replyTo must be one address such as ada@example.org; "${replyTo}" ${problem}.`,
  ),

  // Organizations and tokens (operator's command)
  ORGANIZATION_NOT_FOUND: missing('organization'),
  TOKEN_NOT_FOUND: missing('token'),
} satisfies Record<string, ReasonEntry<never>>;

export type Reason = keyof typeof reasons;
export type ReasonParams<R extends Reason> = Parameters<(typeof reasons)[R]['message']>[0];

/** What any call may answer besides the reasons it declares. */
export const generalReasons: readonly Reason[] = [
  'PARAMETERS_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
  'SERVICE_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'ANSWER_LOST',
  'RESULT_TOO_LARGE',
];

/** A problem with one parameter: the path of keys and indexes from the body, and the rule in words. */
export interface Issue {
  path: (string | number)[];
  message: string;
}
