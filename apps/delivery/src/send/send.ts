import type { SenderFacts } from '#contracts';
import type { SendCounts } from './progress.js';

/**
 * RUNNING: chunks are worked on. PAUSED: nothing is attempted until it runs again; with nothing left, it is DONE.
 * STOPPED: recipients without an attempt are skipped; it stays STOPPED when that is done. DONE: all recipients are
 * accounted for.
 */
export type SendState = 'RUNNING' | 'PAUSED' | 'STOPPED' | 'DONE';

/** From which states a request may lead to another; DONE and STOPPED are final. */
export const sendStateSources: Record<'RUNNING' | 'PAUSED' | 'STOPPED', readonly SendState[]> = {
  RUNNING: ['PAUSED'],
  PAUSED: ['RUNNING'],
  STOPPED: ['RUNNING', 'PAUSED'],
};

export interface Send {
  organizationId: string;
  sendId: string;
  campaignId: string;
  campaignName: string;
  audienceId: string;
  template: unknown;
  sender: SenderFacts;
  replyTo: string | null;
  organizationName: string;
  tracking: { opens: boolean; clicks: boolean };
  /** First day of the month of the send, YYYY-MM-DD: its messages' partition. */
  period: string;
}

/** A send that reached no recipient failed; a message in doubt may have arrived. */
export function outcomeOf(counts: SendCounts): { outcome: 'SENT' | 'FAILED'; failure: string | null } {
  if (counts.sent + counts.inDoubt > 0) return { outcome: 'SENT', failure: null };
  const reasons = Object.entries(counts.skipped).map(([reason, n]) => `${n} ${reason}`);
  if (counts.failed > 0) reasons.unshift(`${counts.failed} refused by the mail server`);
  return { outcome: 'FAILED', failure: `No message was sent: ${reasons.join(', ') || 'no recipient was left'}.` };
}
