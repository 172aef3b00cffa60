import { ToolError } from './envelope/tool-error.js';

/**
 * Refuses a change of a record that was changed since the caller read it (RFC 9110, section 13.1.1). The record is
 * locked, or its write is guarded by the same updatedAt.
 * @param expected the updatedAt that the caller read; undefined for a caller that does not ask for the check
 * @throws ToolError EXPECTED_UPDATED_AT_STALE
 */
export function assertFresh(expected: string | undefined, actual: Date | string): void {
  const now = typeof actual === 'string' ? actual : actual.toISOString();
  if (expected !== undefined && expected !== now) throw new ToolError('EXPECTED_UPDATED_AT_STALE', { actual: now });
}
