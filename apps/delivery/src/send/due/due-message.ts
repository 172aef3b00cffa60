import type { AttemptResult, MessageState } from '../../message/message.js';
import type { GuardedMailbox } from '../../message/address-hash.js';
import type { StoredMessage } from '../../message/stored-message.js';

export type MessageKind = 'CAMPAIGN' | 'TRANSACTIONAL' | 'WORKFLOW' | 'SMTP' | 'TEST';

/**
 * Whether a message that may have arrived is sent again, with its first Message-ID, because a recipient waits for it.
 */
export const mustArrive = (kind: MessageKind): boolean => kind !== 'CAMPAIGN' && kind !== 'WORKFLOW';

/** A row and its claim. Ids are uuids but for the organization. */
export interface MessageClaim {
  organizationId: string;
  messageId: string;
  /** Empty for a message of the ledger, whose id says the month. */
  period: string;
  owner: string;
  fence: string;
  /** Delivery attempts before this claim. */
  attempts: number;
}

export interface DueMessage extends MessageClaim {
  kind: MessageKind;
  /** As on the wire. */
  sendId: string | null;
  pageNo: number | null;
  subscriberId: string | null;
  email: string;
  simulated: boolean;
}

/** A message that was composed when it was accepted. */
export type StoredDue = StoredMessage & { subject: string };

export interface DueMark {
  message: DueMessage;
  subject: string;
  /** What the guard counts now; null for what it counted when it was accepted, and for test addresses. */
  mailbox: GuardedMailbox | null;
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

/** What a DueQueue needs of the rows of its messages; ids are uuids. */
export interface DueMessages {
  claim(kinds: readonly MessageKind[], limit: number): Promise<DueMessage[]>;
  /**
   * Claims due messages, a share of each organization's, so that none waits behind a larger one.
   * @param after the organization that was served last; null to begin with the first
   * @returns `after`: the one served now; null when all were served
   */
  claimInTurn(
    kinds: readonly MessageKind[],
    limit: number,
    after: string | null,
  ): Promise<{ messages: DueMessage[]; after: string | null }>;
  /** Loads stored messages with their subjects, by id; a message whose content was deleted is omitted. */
  listStored(messages: readonly MessageClaim[]): Promise<Map<string, StoredDue>>;
  /**
   * Writes the attempt marks.
   * @returns `started`: the ids that may be put on the wire, and no others; `refused`: how many the guard deferred
   */
  updateAttempting(marks: readonly DueMark[], relayId: number): Promise<{ started: Set<string>; refused: number }>;
  /** Records the outcomes of messages. @returns the ids that were in one of those states and this claim's own */
  settle(from: SettleFrom, settlements: readonly DueSettlement[]): Promise<Set<string>>;
  renew(messages: readonly DueMessage[]): Promise<void>;
  /** Takes over unfinished attempts of workers that died. @returns how many, and how many of them this put in doubt */
  takeOver(kinds: readonly MessageKind[]): Promise<{ moved: number; doubted: number }>;
}
