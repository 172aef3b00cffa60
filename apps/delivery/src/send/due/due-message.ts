import type { AttemptResult, MessageState } from '../../message/message.js';

export type MessageKind = 'CAMPAIGN' | 'TRANSACTIONAL' | 'WORKFLOW' | 'SMTP' | 'TEST';

/**
 * Whether a message that may have arrived is sent again, with its first Message-ID, because a recipient waits for it.
 */
export const mustArrive = (kind: MessageKind): boolean => kind !== 'CAMPAIGN' && kind !== 'WORKFLOW';

/** A row and its claim; `owner` null means a chunk's own marks. Ids are uuids but for the organization. */
export interface MessageClaim {
  organizationId: string;
  messageId: string;
  period: string;
  owner: string | null;
  fence: string;
}

export interface DueMessage extends MessageClaim {
  kind: MessageKind;
  /** As on the wire. */
  sendId: string | null;
  pageNo: number | null;
  subscriberId: string | null;
  email: string;
  attempts: number;
  simulated: boolean;
}

export interface DueMark {
  message: DueMessage;
  subject: string;
  /** What the guard counts now; null for what it counted when it was accepted, and for test addresses. */
  mailbox: string | null;
}

export interface DueSettlement extends Omit<AttemptResult, 'state'> {
  message: MessageClaim;
  state: Exclude<MessageState, 'QUEUED' | 'HANDING_OVER'>;
  skipReason: string | null;
  at: string;
  events: string;
  lane: number;
}

/**
 * Message states in which an attempt's result may be recorded. In any other state, another process has already recorded
 * one.
 */
export const settleFrom = {
  attempted: ['HANDING_OVER'],
  /** It was claimed and is not attempted at all. */
  claimed: ['QUEUED', 'DEFERRED'],
  /** The relay's reply came after the message was put in doubt; it is recorded all the same. */
  doubted: ['IN_DOUBT'],
} as const;
export type SettleFrom = keyof typeof settleFrom;
