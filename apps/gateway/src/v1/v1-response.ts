import { envelope } from '#tool-call';
import type { Outcome } from '#tool-call';
import { toResponse } from '../http/response.js';
import type { HttpResponse } from '../http/response.js';

/**
 * An outcome as v1 words it: the fields of an answer stand beside `success`, and a refusal says its sentence as
 * `message` too, where older clients look for it.
 */
export function toV1Response(outcome: Outcome): HttpResponse {
  const { body } = envelope(outcome);
  const worded = outcome.ok
    ? { success: true, ...(outcome.data as object) }
    : { ...body, message: outcome.error.message };
  return { ...toResponse(outcome), body: JSON.stringify(worded) };
}
