import type { OutcomeCounts, RecipientStatus } from '#contracts';
import { classifyRefusal } from '../../message/bounce-class.js';
import type { MessageState } from '../../message/message.js';

export const statesOf: Record<RecipientStatus, readonly MessageState[]> = {
  PENDING: ['QUEUED', 'HANDING_OVER', 'DEFERRED'],
  SENT: ['SENT'],
  DELIVERED: ['DELIVERED'],
  BOUNCED: ['BOUNCED'],
  COMPLAINED: ['COMPLAINED'],
  FAILED: ['FAILED'],
  SKIPPED: ['SKIPPED'],
  IN_DOUBT: ['IN_DOUBT'],
};

export const statusOf = (state: MessageState): RecipientStatus =>
  (Object.keys(statesOf) as RecipientStatus[]).find((status) => statesOf[status].includes(state))!;

export interface Ending {
  state: MessageState;
  skipReason: string | null;
  code: number | null;
  enhancedCode: string | null;
  response: string | null;
}

/** Why a recipient did not get it, in one word; null if it went out or is still in progress. */
export function reasonOf({ state, skipReason, code, enhancedCode, response }: Ending): string | null {
  if (state === 'SKIPPED') return skipReason;
  if (state !== 'FAILED' && state !== 'DEFERRED') return null;
  return classifyRefusal(code, enhancedCode, response ?? '').bounceCategory;
}

export const hasReason = (ending: Ending, reason: string | undefined): boolean =>
  reason === undefined || reasonOf(ending) === reason;

export function countOutcomes(rows: readonly (Ending & { n: number })[]): OutcomeCounts {
  const counts: OutcomeCounts = {};
  for (const row of rows) {
    const ofStatus = (counts[statusOf(row.state)] ??= {});
    const reason = reasonOf(row) ?? 'NONE';
    ofStatus[reason] = (ofStatus[reason] ?? 0) + row.n;
  }
  return counts;
}

/**
 * Whether another attempt makes sense. A dead address stays dead, and a recipient skipped by status or by a stop was
 * skipped for a reason. A message in doubt may have arrived, so only an explicit request sends it again.
 */
export function canRetry(ending: Ending): 'YES' | 'NO' | 'IF_ASKED' {
  switch (ending.state) {
    case 'FAILED':
      return classifyRefusal(ending.code, ending.enhancedCode, ending.response ?? '').bounceType === 'SOFT'
        ? 'YES'
        : 'NO';
    case 'SKIPPED':
      return ending.skipReason === 'RENDER_FAILED' ? 'YES' : 'NO';
    case 'IN_DOUBT':
      return 'IF_ASKED';
    default:
      return 'NO';
  }
}
