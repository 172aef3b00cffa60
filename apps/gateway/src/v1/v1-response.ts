import { envelope } from '#tool-call';
import type { Outcome } from '#tool-call';
import { answerOf } from '../http/response.js';
import type { Answer } from '../http/response.js';

/**
 * An outcome as v1 words it: the fields of an answer stand beside `success`, and a refusal says its sentence as
 * `message` too, where older clients look for it.
 */
export function v1AnswerOf(outcome: Outcome): Answer {
  const { body } = envelope(outcome);
  const worded = outcome.ok
    ? { success: true, ...(outcome.data as object) }
    : { ...body, message: outcome.error.message };
  return { ...answerOf(outcome), body: JSON.stringify(worded) };
}
