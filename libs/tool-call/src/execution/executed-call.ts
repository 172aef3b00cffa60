import type { Outcome } from '../envelope/outcome.js';

/** A call that must have its effect once: who, under which id, and a hash of what it asks. */
export interface CallKey {
  organizationId: string;
  callId: string;
  requestHash: string;
  /** The same of the whole request that the call is a part of, where it is one. */
  wholeHash?: string | undefined;
}

const notKept: readonly string[] = [
  ...['INTERNAL', 'UNAVAILABLE', 'TIMEOUT', 'RATE_LIMITED', 'RECIPIENT_GUARD', 'PLAN_LIMIT_REACHED'],
  ...['UNAUTHENTICATED', 'FORBIDDEN'],
];

/**
 * Whether an outcome is kept for replays: our own failures and temporary limits are not, since a repeat must be allowed
 * to succeed.
 */
export function isKept(outcome: Outcome): boolean {
  if (outcome.ok) return true;
  return !notKept.includes(outcome.error.code);
}
