import { ConfirmationRequired, TidingsError } from '#client';
import type { Issue } from '#client';
import { apiLang, translated } from '../messages/text.js';

/** A refusal of the API or of a session's route; `status` 0 is a reply that never came. */
export const Refusal = TidingsError;
export type Refusal = TidingsError;

export const refusalOf = (response: Response, body: Record<string, unknown>): Refusal =>
  new TidingsError(response.status, body, response.headers.get('x-request-id'));

const translationOf = (error: unknown): string | undefined =>
  error instanceof TidingsError && error.reason ? translated('reasons', error.reason) : undefined;

/** What an error says, in the chosen language where its reason is translated; the API speaks English. */
export const textOf = (error: unknown): string =>
  translationOf(error) ?? (error instanceof Error ? error.message : String(error));

/** The attribute `lang` of what an error says, where it is not the language of the page. */
export const langOf = (error: unknown): 'en' | undefined =>
  translationOf(error) === undefined ? apiLang() : undefined;

/** Whether a service, its database or the gateway did not answer: the same call may succeed soon. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof TidingsError && (error.status === 0 || error.status >= 502);

/** Whether the person answered no to a confirmation: nothing happened, and nothing needs to be said. */
export const isDeclined = (error: unknown): boolean =>
  error instanceof ConfirmationRequired && error.question.confirmationCode !== undefined;

/** The approval that a call became; null for other errors. */
export const approvalOf = (error: unknown): { id: string; message: string } | null =>
  error instanceof ConfirmationRequired && error.question.approvalId !== undefined
    ? { id: error.question.approvalId, message: error.question.message }
    : null;

/**
 * Sorts the issues of a refusal by field.
 * @param fields names of the fields that the form shows
 * @returns messages by field, and those of no field
 */
export function issuesByField(
  error: unknown,
  fields: readonly string[],
): { byField: Record<string, string>; rest: Issue[] } {
  const byField: Record<string, string> = {};
  const rest: Issue[] = [];
  for (const issue of error instanceof TidingsError ? error.issues : []) {
    const path = issue.path.join('.');
    const field = fields.find((name) => path === name || path.startsWith(`${name}.`));
    if (field === undefined) rest.push(issue);
    else byField[field] ??= issue.message;
  }
  return { byField, rest };
}
