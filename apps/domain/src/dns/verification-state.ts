import type { z } from 'zod';
import type { domainStatus } from '#contracts';

export type DomainStatus = z.infer<typeof domainStatus>;

export interface VerificationState {
  status: DomainStatus;
  /** Since when a VERIFIED name lacks its records. */
  failingSince: Date | null;
  verifiedAt: Date | null;
}

const hourMs = 3_600_000;
/** Milliseconds for which a VERIFIED or a new name may lack its records before it is FAILED. */
export const graceMs = 72 * hourMs;

export function nextState(
  known: VerificationState & { createdAt: Date },
  required: readonly DomainStatus[],
  now: Date,
): VerificationState {
  if (required.every((status) => status === 'VERIFIED')) {
    return { status: 'VERIFIED', failingSince: null, verifiedAt: known.verifiedAt ?? now };
  }
  const { verifiedAt } = known;
  if (known.status === 'VERIFIED') {
    const failingSince = known.failingSince ?? now;
    return { status: isOver(failingSince, now) ? 'FAILED' : 'VERIFIED', failingSince, verifiedAt };
  }
  const hopeless = verifiedAt !== null || required.includes('FAILED') || isOver(known.createdAt, now);
  return { status: hopeless ? 'FAILED' : 'PENDING', failingSince: known.failingSince, verifiedAt };
}

/**
 * The time of the next check: soon while the owner works on it or a record is missing, otherwise every 6 or 24 hours.
 */
export function nextCheckAt({ status, failingSince }: VerificationState, createdAt: Date, now: Date): Date {
  if (status === 'VERIFIED') return new Date(now.getTime() + (failingSince ? 1 : 6) * hourMs);
  return new Date(now.getTime() + (isOver(createdAt, now) ? 24 * hourMs : hourMs / 6));
}

/** Warnings for the caller of a check about a name that fails, or whose records are missing again. */
export function warningsOf(name: string, { status, failingSince }: VerificationState): string[] {
  if (!failingSince) return [];
  if (status === 'FAILED') {
    return [`${name} is FAILED: its records have been missing since ${failingSince.toISOString()}, for over 72 hours.`];
  }
  const end = new Date(failingSince.getTime() + graceMs).toISOString();
  return [
    `${name} lacks required records since ${failingSince.toISOString()}; unless they return it is FAILED at ${end}.`,
  ];
}

const isOver = (since: Date, now: Date) => now.getTime() - since.getTime() >= graceMs;
