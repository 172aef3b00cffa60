import { envelope } from '#tool-call';
import type { Outcome } from '#tool-call';
import { toResponse } from '../http/response.js';
import type { HttpResponse } from '../http/response.js';

/**
 * The fields of a result are beside `success`; a refusal repeats its sentence as `message`, where older clients look
 * for it.
 */
export function toV1Response(outcome: Outcome): HttpResponse {
  const { body } = envelope(outcome);
  const worded = outcome.ok
    ? { success: true, ...(outcome.data as object) }
    : { ...body, message: outcome.error.message };
  return { ...toResponse(outcome), body: JSON.stringify(worded) };
}
