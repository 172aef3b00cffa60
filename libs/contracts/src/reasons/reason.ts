import type { ErrorCode } from '../error-code.js';

export interface ReasonEntry<P> {
  code: ErrorCode;
  message: (params: P) => string;
}

export const reason = <P>(code: ErrorCode, message: (params: P) => string): ReasonEntry<P> => ({ code, message });
/**
 * Refusal for an unknown record, or one of another organization. `by` names the field searched (default: id), since a
 * caller may have sent a name in place of an id.
 * @param finder the tool that lists the records
 */
export const missing = (noun: string, finder?: string) =>
  reason<{ id: string; by?: string }>(
    'NOT_FOUND',
    ({ id, by = 'id' }) =>
      `No ${noun} with ${by} "${id}" in this organization.${finder ? ` Use ${finder} to list them.` : ''}`,
  );
export const inUse = <P extends { name: string }>(noun: string) =>
  reason<P & { users: readonly string[] }>(
    'CONFLICT',
    ({ name, users }) => `The ${noun} "${name}" is used by ${users.join(', ')}. Change them first.`,
  );
