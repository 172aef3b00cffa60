import type { RecipientStatus } from '#contracts';
import { classifyRefusal } from '../../message/bounce-class.js';
import type { MessageState } from '../../message/message.js';

/** Which states of a message callers know under one name. */
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

/** How callers call a state. */
export const statusOf = (state: MessageState): RecipientStatus =>
  (Object.keys(statesOf) as RecipientStatus[]).find((status) => statesOf[status].includes(state))!;

/** What is known of how a message ended. */
export interface Ending {
  state: MessageState;
  skipReason: string | null;
  code: number | null;
  enhancedCode: string | null;
  response: string | null;
}

/** Why somebody did not get it, in one word; null where it went out or is still under way. */
export function reasonOf({ state, skipReason, code, enhancedCode, response }: Ending): string | null {
  if (state === 'SKIPPED') return skipReason;
  if (state !== 'FAILED' && state !== 'DEFERRED') return null;
  return classifyRefusal(code, enhancedCode, response ?? '').bounceCategory;
}

/**
 * Whether another attempt makes sense. A dead address does not come to life by it, and whoever was left out by status or
 * by a stop was left out for a reason; what is in doubt may have arrived, so that only an explicit wish sends it again.
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
