import type { MessageState } from '../../message/message.js';

/** What became of an email, as the history of its subscriber tells it. */
export type EmailStatus = 'PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED';

/** Which states of a message are told as which status; what was skipped is not told. */
export const statesOf: Record<EmailStatus, readonly MessageState[]> = {
  PENDING: ['QUEUED', 'HANDING_OVER', 'DEFERRED', 'IN_DOUBT'],
  SENT: ['SENT'],
  DELIVERED: ['DELIVERED'],
  BOUNCED: ['BOUNCED', 'FAILED'],
  COMPLAINED: ['COMPLAINED'],
};

/** The status of a message that was not skipped. */
export const statusOf = (state: MessageState): EmailStatus =>
  (Object.keys(statesOf) as EmailStatus[]).find((status) => statesOf[status].includes(state))!;
