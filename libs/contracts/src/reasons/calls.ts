import type { QuotaName } from '../quota.js';
import { missing, reason } from './reason.js';

const quotaWords: Record<QuotaName, { of: string; taken: string; advice: string }> = {
  contacts: { of: 'contacts', taken: 'are there', advice: 'Add fewer, delete some that are not needed,' },
  mailsPerMonth: {
    of: 'emails a month (UTC)',
    taken: 'were accepted in this one',
    advice: 'Send to fewer, wait for the next month,',
  },
  domains: { of: 'sending domains', taken: 'are there', advice: 'Use one of them (list_domains),' },
};

/** Refusals of any call, and those of the door of the gateway. */
export const callReasons = {
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
    'REFUSED',
    ({ bytesMax }) =>
      `The answer is larger than ${bytesMax / 1_000_000} MB. Ask for fewer records (a smaller limit) or one format; create_subscriber_export writes any number of subscribers to a file.`,
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
  ORIGIN_REFUSED: reason<{ origin: string }>(
    'FORBIDDEN',
    ({ origin }) =>
      `Pages of "${origin}" may not speak MCP here. Connect from a program, or from a page of this server.`,
  ),
  TOOL_UNKNOWN: reason<{ name: string; nearest: string | null }>(
    'TOOL_NOT_FOUND',
    ({ name, nearest }) =>
      `No tool is named "${name}".${nearest ? ` Did you mean ${nearest}?` : ''} GET /api/v2/tools lists all.`,
  ),
  ROUTE_UNKNOWN: reason<{ method: string; path: string; methods?: readonly string[] }>(
    'NOT_FOUND',
    ({ method, path, methods = [] }) =>
      methods.length > 0
        ? `Nothing answers ${method} ${path}. What is there is called with ${methods.join(' or ')}.`
        : `Nothing answers ${method} ${path}. Tools are called with POST /api/v2/tools/{name}.`,
  ),
  REQUEST_MALFORMED: reason<{ problem: string }>(
    'VALIDATION_ERROR',
    ({ problem }) => `The HTTP request cannot be read: ${problem}.`,
  ),
  RATE_LIMIT_REACHED: reason<{ limit: number }>(
    'RATE_LIMITED',
    ({ limit }) => `The organization's limit of ${limit} calls a minute is reached. Repeat after Retry-After seconds.`,
  ),
  QUOTA_REACHED: reason<{ quota: QuotaName; plan: string; limit: number; used: number; asked: number }>(
    'PLAN_LIMIT_REACHED',
    ({ quota, plan, limit, used, asked }) =>
      `The organization (plan ${plan}) may have ${limit} ${quotaWords[quota].of}: ${used} ${quotaWords[quota].taken}, ${asked} more would go over it. ${quotaWords[quota].advice} or ask whoever runs this installation for more.`,
  ),
  LIMIT_REACHED: reason<{ what: string; limit: number; used: number; advice: string }>(
    'REFUSED',
    ({ what, limit, used, advice }) => `The limit of ${limit} ${what} is reached (used: ${used}). ${advice}`,
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
  APPROVAL_IMPOSSIBLE: reason<{ call: string }>(
    'FORBIDDEN',
    ({ call }) =>
      `${call} asks nobody first, and what this token does must be approved by a person. Call the tool that does the same (POST /api/v2/tools/{name}), which asks one, or use another token.`,
  ),
  APPROVAL_NOT_FOUND: missing('approval'),
  APPROVAL_DECIDED: reason<{ state: string; expiresAt: string }>(
    'INVALID_STATE',
    ({ state, expiresAt }) =>
      `The approval is ${state} (until ${expiresAt}); only what is PENDING can be decided. The call must be made again.`,
  ),
};
