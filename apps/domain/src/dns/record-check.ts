import type { DomainStatus } from './verification-state.js';

/** The result of the last check of a record. */
export interface RecordCheck {
  status: DomainStatus;
  found: string[];
  /** What to change; null when nothing. */
  advice: string | null;
  /** Whether it was VERIFIED once: only then is a missing record FAILED; before, it is PENDING. */
  proven: boolean;
}

// DNS is under the control of third parties: the stored part of an answer is bounded.
const foundMax = 10;
const foundLengthMax = 1_000;

/** The part of an answer that is stored and shown. */
export const boundedFound = (values: readonly string[]): string[] =>
  values.slice(0, foundMax).map((value) => value.slice(0, foundLengthMax));

/** A record that was never checked. */
export const untouched: RecordCheck = { status: 'PENDING', found: [], advice: null, proven: false };

/** The advice for a record that DNS could not answer for. */
export const troubleAdvice = (name: string, why: string): string =>
  `DNS could not be asked for ${name} (${why}); the last result is kept. Check again later.`;

/** What to say when a record is not there. */
export const addAdvice = (type: string, name: string): string =>
  `Add this ${type} record at ${name}, then check again; a new record may take an hour to be seen.`;
