import type { QuotaName } from '../quota.js';
import { missing, reason } from './reason.js';

const quotaWords: Record<QuotaName, { things: string; used: string; advice: string }> = {
  contacts: { things: 'contacts', used: 'exist', advice: 'Add fewer, delete some' },
  mailsPerMonth: {
    things: 'emails a month (UTC)',
    used: 'were accepted this month',
    advice: 'Send to fewer recipients, wait for the next month',
  },
  domains: { things: 'sending domains', used: 'exist', advice: 'Use an existing one (list_domains)' },
};

export const callReasons = {
  PARAMETERS_INVALID: reason<{ summary: string }>('VALIDATION_ERROR', ({ summary }) => summary),
  IDENTIFIER_MISSING: reason<{ names: string[] }>(
    'VALIDATION_ERROR',
    ({ names }) => `One of ${names.join(' or ')} is required.`,
  ),
  IDENTIFIERS_DISAGREE: reason<{ names: string[] }>(
    'VALIDATION_ERROR',
    ({ names }) => `${names.join(' and ')} name different records. Send only one of them.`,
  ),
  IDEMPOTENCY_KEY_REUSED: reason<{ key: string }>(
    'CONFLICT',
    ({ key }) =>
      `The idempotency key "${key}" was used in the last 24 hours with another request. Use a new key for a new request.`,
  ),
  ANSWER_LOST: reason<object>(
    'CONFLICT',
    () =>
      'This call was executed, but its process ended before the response was recorded. Read the record to see the result. The call is not executed again.',
  ),
  EXPECTED_UPDATED_AT_STALE: reason<{ actual: string }>(
    'STALE_UPDATE',
    ({ actual }) =>
      `The record has changed since it was read; its updatedAt is now ${actual}. Read it again and repeat with that value.`,
  ),
  SERVICE_UNAVAILABLE: reason<{ service: string }>(
    'UNAVAILABLE',
    ({ service }) => `The ${service} service is not responding. Nothing was changed. Try again in a few seconds.`,
  ),
  DATABASE_UNAVAILABLE: reason<{ service: string; trouble: string }>(
    'UNAVAILABLE',
    ({ service, trouble }) =>
      `The database of the ${service} service ${trouble}. Try again in a few seconds. Repeat a call that changes data with the same Idempotency-Key.`,
  ),
  DEADLINE_EXCEEDED: reason<{ tool: string }>(
    'TIMEOUT',
    ({ tool }) =>
      `${tool} did not answer in time. The action may have been executed. Repeat the call with the same Idempotency-Key to get its result without executing it twice.`,
  ),
  RECORDS_EXPIRED: reason<{ what: string }>(
    'REFUSED',
    ({ what }) =>
      `${what} is deleted, as the retention of the organization says (get_retention). Counts are kept for ever.`,
  ),
  RESULT_TOO_LARGE: reason<{ bytesMax: number }>(
    'REFUSED',
    ({ bytesMax }) =>
      `The response is larger than ${bytesMax / 1_000_000} MB. Request fewer records (a smaller limit) or one format. For any number of subscribers, use create_subscriber_export.`,
  ),
  DEFECT: reason<object>('INTERNAL', () => 'An internal error occurred. It was logged with this request id.'),
  TOKEN_MISSING: reason<object>(
    'UNAUTHENTICATED',
    () => 'An API token is required. Send the header "Authorization: Bearer <token>".',
  ),
  TOKEN_REFUSED: reason<object>('UNAUTHENTICATED', () => 'The API token is unknown, expired or revoked.'),
  TOKEN_SCOPE_MISSING: reason<{ tool: string; scope: string; scopes: readonly string[] }>(
    'FORBIDDEN',
    ({ tool, scope, scopes }) =>
      `${tool} needs a token with the scope "${scope}"; this one has ${scopes.join(', ')}. Use another token.`,
  ),
  ORIGIN_REFUSED: reason<{ origin: string }>(
    'FORBIDDEN',
    ({ origin }) =>
      `MCP requests from the web origin "${origin}" are not allowed. Connect from a program or from a page of this server.`,
  ),
  TOOL_UNKNOWN: reason<{ name: string; nearest: string | null; by?: string }>(
    'TOOL_NOT_FOUND',
    ({ name, nearest, by = 'GET /api/v2/tools' }) =>
      `There is no tool "${name}".${nearest ? ` Did you mean ${nearest}?` : ''} ${by} lists all tools.`,
  ),
  ROUTE_UNKNOWN: reason<{ method: string; path: string; methods?: readonly string[] }>(
    'NOT_FOUND',
    ({ method, path, methods = [] }) =>
      methods.length > 0
        ? `No route ${method} ${path}. This path accepts ${methods.join(' or ')}.`
        : `No route ${method} ${path}. Call tools with POST /api/v2/tools/{name}.`,
  ),
  REQUEST_MALFORMED: reason<{ problem: string }>(
    'VALIDATION_ERROR',
    ({ problem }) => `The HTTP request cannot be read: ${problem}.`,
  ),
  RATE_LIMIT_REACHED: reason<{ limit: number }>(
    'RATE_LIMITED',
    ({ limit }) =>
      `The organization's limit of ${limit} calls a minute is reached. Try again after Retry-After seconds.`,
  ),
  QUOTA_REACHED: reason<{ quota: QuotaName; plan: string; limit: number; used: number; asked: number }>(
    'PLAN_LIMIT_REACHED',
    ({ quota, plan, limit, used, asked }) =>
      `The ${plan} plan allows ${limit} ${quotaWords[quota].things}. ${used} ${quotaWords[quota].used}, and this call would add ${asked}. ${quotaWords[quota].advice}, or ask the operator of this installation to raise the limit.`,
  ),
  LIMIT_REACHED: reason<{ what: string; limit: number; used: number; advice: string }>(
    'REFUSED',
    ({ what, limit, used, advice }) => `The limit of ${limit} ${what} is reached (used: ${used}). ${advice}`,
  ),
  BODY_NOT_JSON: reason<{ problem: string }>('INVALID_JSON', ({ problem }) => `The body is not JSON: ${problem}.`),
  BODY_TOO_LARGE: reason<{ bytesMax: number }>(
    'PAYLOAD_TOO_LARGE',
    ({ bytesMax }) =>
      `The body is larger than the ${bytesMax / 1_048_576} MB that this call accepts. Send less at a time.`,
  ),
  CONTENT_TYPE_UNSUPPORTED: reason<{ contentType: string; expected?: string }>(
    'UNSUPPORTED_MEDIA_TYPE',
    ({ contentType, expected = 'application/json' }) =>
      `The body must be ${expected}, not ${contentType || 'of an unnamed type'}.`,
  ),
  IDEMPOTENCY_KEY_INVALID: reason<object>(
    'VALIDATION_ERROR',
    () => 'The header Idempotency-Key must have 1 to 255 visible ASCII characters.',
  ),
  APPROVAL_REJECTED: reason<{ action: string; until: string; note: string | null }>(
    'FORBIDDEN',
    ({ action, until, note }) =>
      `A person rejected this call ("${action}")${note ? `, with the note: ${note}` : '.'} The rejection is valid until ${until}. Do not repeat the call; ask them what to change.`,
  ),
  APPROVAL_IMPOSSIBLE: reason<{ call: string }>(
    'FORBIDDEN',
    ({ call }) =>
      `Calls of this token need a person's approval, which ${call} cannot request. Use the corresponding tool (POST /api/v2/tools/{name}) or another token.`,
  ),
  APPROVAL_NOT_FOUND: missing('approval', 'list_approvals'),
  APPROVAL_CHANGED: reason<{ contentHash: string }>(
    'CONFLICT',
    ({ contentHash }) =>
      `The content has changed since it was shown; its contentHash is now ${contentHash}. Read the approval again with get_approval.`,
  ),
  APPROVAL_OWN: reason<object>('FORBIDDEN', () => 'Another approver must decide your own call.'),
  ASKER_GONE: reason<{ name: string }>(
    'CONFLICT',
    ({ name }) => `${name}, who asked for this call, may no longer make it. Reject it.`,
  ),
  APPROVAL_TOO_LARGE: reason<{ bytesMax: number }>(
    'PAYLOAD_TOO_LARGE',
    ({ bytesMax }) => `A call that needs approval may have at most ${bytesMax / 1024} kB of parameters.`,
  ),
  APPROVALS_TOO_MANY: reason<{ limit: number; whose: string }>(
    'RATE_LIMITED',
    ({ limit, whose }) => `${limit} calls of ${whose} wait for approval. Wait for decisions, or withdraw some.`,
  ),
  STREAMS_TOO_MANY: reason<{ limit: number; whose: string }>(
    'RATE_LIMITED',
    ({ limit, whose }) => `${whose} has ${limit} open streams of live updates. Close one, or share one.`,
  ),
  APPROVAL_DECIDED: reason<{ state: string; expiresAt: string }>(
    'INVALID_STATE',
    ({ state, expiresAt }) =>
      `The approval is ${state} (until ${expiresAt}); only a PENDING approval can be decided or withdrawn.`,
  ),
};
