import type { ErrorCode } from '#contracts';
import { envelope } from '#tool-call';
import type { Outcome } from '#tool-call';
import type { ConfirmationQuestion } from '../tool/confirmation-question.js';
import type { McpTarget } from './endpoint-calls.js';
import { truncate } from './truncate-result.js';

export interface McpResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  /** Absent in refusals: clients validate it against the schema of the tool's data. */
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  /** `tidings/failure`: a refusal with the fields of the HTTP interface. */
  _meta?: Record<string, unknown>;
}

const text = (...lines: string[]): McpResult['content'] => [{ type: 'text', text: lines.join('\n') }];
const retryable: readonly ErrorCode[] = ['RATE_LIMITED', 'RECIPIENT_GUARD', 'UNAVAILABLE', 'TIMEOUT'];

/**
 * @param paging how the tool continues when its result is truncated
 * @param suggestions the tools that may have been meant by an unknown name, a line each
 */
export function resultOf(
  outcome: Outcome,
  paging: { pages: boolean; limits: boolean },
  suggestions: readonly string[] = [],
): McpResult {
  if (!outcome.ok) return refusal(outcome, suggestions);
  const { data, note } = truncate(outcome.data as Record<string, unknown>, paging);
  return {
    content: [...text(JSON.stringify(data)), ...(note ? text(note) : [])],
    structuredContent: note ? { ...data, _note: note } : data,
  };
}

function refusal(outcome: Extract<Outcome, { ok: false }>, suggestions: readonly string[]): McpResult {
  const { code, reason, message, issues = [], retryAt, retryAfter } = outcome.error;
  const again = retryable.includes(code)
    ? `The same call may succeed later${retryAt ? `, from ${retryAt} on` : retryAfter ? `, in ${retryAfter} seconds` : ''}.`
    : 'Repeating it unchanged will be refused again.';
  // The sentence already names a single problem.
  const listed = issues.length > 1 ? issues.map(({ path, message: what }) => `- ${path.join('.')}: ${what}`) : [];
  return {
    content: text(`${message} (${reason ?? code})`, ...listed, ...suggestions.map((one) => `- ${one}`), again),
    isError: true,
    _meta: { 'tidings/failure': { ...envelope(outcome).body, retryable: retryable.includes(code) } },
  };
}

/** A request for confirmation: no error, and nothing has been done yet. */
export function questionResult({ name, by }: McpTarget, question: ConfirmationQuestion): McpResult {
  const { message, confirmationCode, expiresAt, instruction } = question;
  const code = `"confirmationCode": ${confirmationCode}`;
  const repeat = by
    ? `call ${by} again with the same name and arguments, with ${code} added to arguments`
    : `call ${name} again with exactly the same arguments and ${code}`;
  const how =
    confirmationCode === undefined
      ? instruction
      : `Nothing was done yet. If that is what is wanted, ${repeat}, before ${expiresAt}.`;
  return { content: text(`Confirmation required: ${message}`, how), structuredContent: { ...question } };
}

export const declined = (question: ConfirmationQuestion): McpResult => ({
  content: text(`The person declined: ${question.message} Nothing was done. Do not ask again unless they want it.`),
  isError: true,
});
