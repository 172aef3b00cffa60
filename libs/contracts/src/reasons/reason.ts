import type { ErrorCode } from '../error-code.js';

/** One entry of the catalogue: the class of a refusal and its sentence for the caller. */
export interface ReasonEntry<P> {
  code: ErrorCode;
  message: (params: P) => string;
}

/** Makes an entry of an error class and a function that builds the sentence from the handler's parameters. */
export const reason = <P>(code: ErrorCode, message: (params: P) => string): ReasonEntry<P> => ({ code, message });
/**
 * Refusal for an unknown record. Records of other organizations get the same answer. `by` names the field searched
 * (default: id), since a caller may have sent a name in place of an id.
 * @param finder the tool that lists the records
 */
export const missing = (noun: string, finder?: string) =>
  reason<{ id: string; by?: string }>(
    'NOT_FOUND',
    ({ id, by = 'id' }) =>
      `No ${noun} with ${by} "${id}" in this organization.${finder ? ` Use ${finder} to list them.` : ''}`,
  );
/** Refusal for a record that other records use. */
export const inUse = <P extends { name: string }>(noun: string) =>
  reason<P & { users: readonly string[] }>(
    'CONFLICT',
    ({ name, users }) => `The ${noun} "${name}" is used by ${users.join(', ')}. Change them first.`,
  );
