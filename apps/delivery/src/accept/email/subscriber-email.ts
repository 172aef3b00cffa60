import type { MessageState } from '../../message/message.js';

export type EmailStatus = 'PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED';

/** The message states behind each status; a skipped message has none. */
export const statesOf: Record<EmailStatus, readonly MessageState[]> = {
  PENDING: ['QUEUED', 'HANDING_OVER', 'DEFERRED', 'IN_DOUBT'],
  SENT: ['SENT'],
  DELIVERED: ['DELIVERED'],
  BOUNCED: ['BOUNCED', 'FAILED'],
  COMPLAINED: ['COMPLAINED'],
};

export const statusOf = (state: MessageState): EmailStatus =>
  (Object.keys(statesOf) as EmailStatus[]).find((status) => statesOf[status].includes(state))!;
