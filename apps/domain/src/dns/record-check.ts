import type { DomainStatus } from './verification-state.js';

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

export const boundedFound = (values: readonly string[]): string[] =>
  values.slice(0, foundMax).map((value) => value.slice(0, foundLengthMax));

export const untouched: RecordCheck = { status: 'PENDING', found: [], advice: null, proven: false };

export const troubleAdvice = (name: string, why: string): string =>
  `DNS could not be asked for ${name} (${why}); the last result is kept. Check again later.`;

export const addAdvice = (type: string, name: string): string =>
  `Add this ${type} record at ${name}, then check again; a new record may take an hour to be seen.`;
