import type { SendProgress, SenderFacts } from '#contracts';

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

/** What a send was started with, as its messages need it. */
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

/** Sums over the chunks of a send. */
export interface SendCounts {
  sent: number;
  delivered: number;
  bounced: number;
  failed: number;
  deferred: number;
  inDoubt: number;
  skipped: Record<string, number>;
}

const sum = (numbers: Record<string, number>): number => Object.values(numbers).reduce((a, b) => a + b, 0);

/** Messages not settled yet: not attempted, in progress, or deferred. */
export const pendingOf = (total: number, { sent, failed, skipped, inDoubt }: SendCounts): number =>
  Math.max(0, total - sent - failed - inDoubt - sum(skipped));

/** A send that reached no recipient failed; a message in doubt may have arrived. */
export function outcomeOf(counts: SendCounts): { outcome: 'SENT' | 'FAILED'; failure: string | null } {
  if (counts.sent + counts.inDoubt > 0) return { outcome: 'SENT', failure: null };
  const reasons = Object.entries(counts.skipped).map(([reason, n]) => `${n} ${reason}`);
  if (counts.failed > 0) reasons.unshift(`${counts.failed} refused by the mail server`);
  return { outcome: 'FAILED', failure: `No message was sent: ${reasons.join(', ') || 'there was nobody to send to'}.` };
}

/** The fields of get_send_progress that are not in the counters. */
export type SendFacts = Pick<
  SendProgress,
  | 'sendId'
  | 'campaignId'
  | 'state'
  | 'pausedReason'
  | 'total'
  | 'startedAt'
  | 'finishedAt'
  | 'ratePerSecond'
  | 'waitingFor'
>;

export function progressOf(facts: SendFacts, counts: SendCounts): SendProgress {
  return { ...facts, ...counts, pending: pendingOf(facts.total, counts) };
}
