import { inUse, missing, reason } from './reason.js';

export const subscriberReasons = {
  TAG_NOT_FOUND: missing('tag', 'list_tags'),
  TAG_NAME_TAKEN: reason<{ name: string; tagId: string }>(
    'CONFLICT',
    ({ name, tagId }) => `A tag named "${name}" already exists (${tagId}). Tag names are compared without case.`,
  ),
  SUBSCRIBER_NOT_FOUND: missing('subscriber', 'list_subscribers'),
  EMAIL_TAKEN: reason<{ email: string; subscriberId: string }>(
    'CONFLICT',
    ({ email, subscriberId }) => `${email} already belongs to another subscriber (${subscriberId}).`,
  ),
  FIELD_RESERVED: reason<{ name: string }>(
    'VALIDATION_ERROR',
    ({ name }) => `"${name}" is a reserved name and cannot be a custom field.`,
  ),
  COUNTRY_UNKNOWN: reason<{ country: string }>(
    'VALIDATION_ERROR',
    ({ country }) => `"${country}" is not the code or name of one country. Use an ISO 3166-1 alpha-2 code, such as FR.`,
  ),

  TAG_IN_USE: inUse<{ name: string }>('tag'),
  FIELD_NOT_FOUND: missing('custom field', 'get_custom_fields'),
  FIELD_NAME_TAKEN: reason<{ name: string; fieldId: string }>(
    'CONFLICT',
    ({ name, fieldId }) =>
      `A custom field named "${name}" already exists (${fieldId}). Field names are compared without case.`,
  ),
  FIELD_IN_USE: inUse<{ name: string }>('custom field'),
  SUBSCRIBER_HARD_BOUNCED: reason<{ category: string }>(
    'REFUSED',
    ({ category }) =>
      `The address bounced permanently (${category}). Mail to it harms the sender's reputation. Repeat with force true only if the mailbox works again.`,
  ),
  SUBSCRIBER_BANNED: reason<object>(
    'INVALID_STATE',
    () => 'The subscriber is BANNED. Only the operator can lift a ban.',
  ),
  SUBSCRIBER_NOT_SUPPRESSED: reason<{ status: string }>(
    'INVALID_STATE',
    ({ status }) =>
      `The subscriber is ${status}; only BOUNCED, COMPLAINED and UNSUBSCRIBED subscribers can be reactivated.`,
  ),
  EXPLAIN_TARGET: reason<{ names: readonly string[] }>(
    'VALIDATION_ERROR',
    ({ names }) =>
      `Exactly one of campaignId, workflowId, segmentId and messageId is required; ${names.length === 0 ? 'none was sent' : `${names.join(' and ')} were sent`}.`,
  ),
  EXPORT_NOT_FOUND: missing('export', 'list_subscriber_exports'),
  IMPORT_NOT_FOUND: missing('import', 'list_subscriber_imports'),
  IMPORT_STATE: reason<{ state: string; allowed: readonly string[] }>(
    'INVALID_STATE',
    ({ state, allowed }) => `The import is ${state}; this call needs one that is ${allowed.join(' or ')}.`,
  ),
  IMPORTS_TOO_MANY: reason<{ limit: number }>(
    'RATE_LIMITED',
    ({ limit }) =>
      `The organization has ${limit} open imports, which is the limit. Wait until one is DONE, or cancel one (list_subscriber_imports).`,
  ),
  IMPORT_TOO_LARGE: reason<{ what: string }>(
    'PAYLOAD_TOO_LARGE',
    ({ what }) => `An import has at most ${what}. Divide the data among several imports.`,
  ),
  OFFSET_WRONG: reason<{ offset: number; receivedBytes: number }>(
    'CONFLICT',
    ({ offset, receivedBytes }) =>
      `${receivedBytes} bytes of the file have arrived, and this part starts at ${offset}. Repeat with offset=${receivedBytes}.`,
  ),
  MAPPING_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  SEGMENT_NOT_FOUND: missing('segment', 'list_segments'),
  SEGMENT_NAME_TAKEN: reason<{ name: string; segmentId: string }>(
    'CONFLICT',
    ({ name, segmentId }) => `A segment named "${name}" already exists (${segmentId}).`,
  ),
  SEGMENT_IN_USE: inUse<{ name: string }>('segment'),
  FILTERS_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  FILTER_TARGET_GONE: reason<{ what: string }>(
    'INVALID_STATE',
    ({ what }) => `A filter refers to ${what}, which no longer exists. Change the filter.`,
  ),
  SEGMENT_CYCLE: reason<{ path: string }>(
    'REFUSED',
    ({ path }) => `The segment would contain itself: ${path}. Remove one of these inclusions.`,
  ),
};
