import type { ErrorCode } from '../error-code.js';

/** One entry of the catalogue: the class of a refusal and its sentence for the caller. */
export interface ReasonEntry<P> {
  code: ErrorCode;
  message: (params: P) => string;
}

/** An entry: its class, and the sentence made of what the handler knows. */
export const reason = <P>(code: ErrorCode, message: (params: P) => string): ReasonEntry<P> => ({ code, message });
/**
 * A thing that is not there, or is another organization's; `by` tells as what the text was looked up, so that nobody takes
 * the name of a thing in the place of its id for a thing that is not there.
 * @param finder the tool that tells which there are
 */
export const missing = (noun: string, finder?: string) =>
  reason<{ id: string; by?: string }>(
    'NOT_FOUND',
    ({ id, by = 'id' }) =>
      `No ${noun} with the ${by} "${id}" exists in this organization.${finder ? ` ${finder} tells which there are, with their ids.` : ''}`,
  );
/** A thing that others use. */
export const inUse = <P extends { name: string }>(noun: string) =>
  reason<P & { users: readonly string[] }>(
    'CONFLICT',
    ({ name, users }) => `The ${noun} "${name}" is used by ${users.join(', ')}. Change them first.`,
  );
