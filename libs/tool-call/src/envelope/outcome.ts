import { statusOfCode } from '#contracts';
import type { ErrorCode, Issue, Reason } from '#contracts';
import { retryAfterMaxSeconds } from '../rate-limit/rate-limit.js';
import { ToolError } from './tool-error.js';

export interface Failure {
  code: ErrorCode;
  reason?: Reason;
  message: string;
  issues?: readonly Issue[];
  /** Of LIMIT_REACHED: the standing limit and how much of it is used. */
  limit?: { limit: number; used: number };
  /** Seconds until a repeat makes sense, at most 600. */
  retryAfter?: number;
  /** The true instant behind `retryAfter`. */
  retryAt?: string;
}

/** What a service answers: data, or a refusal; never an exception. */
export type Outcome<D = unknown> =
  | { ok: true; data: D; replayed?: boolean }
  | { ok: false; error: Failure; replayed?: boolean };

/** A restarted service is usually back soon, and another process of it may answer at once. */
const unavailableSeconds = 2;

/** Turns what a handler threw into a refusal; anything unexpected becomes INTERNAL (`defect` is then true). */
export function failureOf(thrown: unknown): { error: Failure; defect: boolean } {
  if (thrown instanceof RemoteFailure) return { error: thrown.failure, defect: false };
  if (thrown instanceof ToolError) {
    return {
      error: {
        code: thrown.code,
        reason: thrown.reason,
        message: thrown.message,
        ...(thrown.issues ? { issues: thrown.issues } : {}),
        ...(thrown.limit && { limit: thrown.limit }),
        ...(thrown.code === 'UNAVAILABLE' && { retryAfter: unavailableSeconds }),
        ...(thrown.retryAt && whenToRetry(thrown.retryAt)),
      },
      defect: false,
    };
  }
  const { code, message } = new ToolError('DEFECT', {});
  return { error: { code, message }, defect: true };
}

/** The instant from which on a repeat makes sense, and the seconds to wait for it, ten minutes at most. */
export const whenToRetry = (at: Date): Required<Pick<Failure, 'retryAfter' | 'retryAt'>> => ({
  retryAfter: Math.min(retryAfterMaxSeconds, Math.max(1, Math.ceil((at.getTime() - Date.now()) / 1000))),
  retryAt: at.toISOString(),
});

/** A refusal that another service answered, carried on unchanged. */
export class RemoteFailure extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export const isUnanswered = ({ code }: Pick<Failure, 'code'>): boolean => code === 'UNAVAILABLE' || code === 'TIMEOUT';

/** Whether a failure leaves the outcome open: there was no answer, or a defect. */
export const saysNothing = (failure: Pick<Failure, 'code'>): boolean =>
  failure.code === 'INTERNAL' || isUnanswered(failure);

/** The HTTP status and body of an outcome (API text, Endpoints and Errors 1). */
export function envelope(outcome: Outcome): {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string>;
} {
  if (outcome.ok) return { status: 200, body: { success: true, data: outcome.data }, headers: {} };
  const { code, reason, message, issues, limit, retryAfter, retryAt } = outcome.error;
  return {
    status: statusOfCode[code],
    body: {
      success: false,
      error: message,
      code,
      ...(reason && { reason }),
      ...(issues && { issues }),
      ...limit,
      ...(retryAt && { retryAt }),
    },
    headers: {
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(code === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
    },
  };
}
