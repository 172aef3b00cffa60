import type { PageRecipient } from '#contracts';
import type { EmailAddress } from '#email-address';
import type { Backoff } from '../relay/destination-throttle.js';
import type { SendState } from '../send.js';
import type { SkipReason } from '../skip-reason.js';

/** The fence (fencing token) differs for every lease of the chunk. */
export interface LeasedChunk {
  organizationId: string;
  sendId: string;
  pageNo: number;
  fence: string;
  period: string;
  campaignId: string;
  audienceId: string;
  /** 0: its messages are rows of `message`; 1: rows of the ledger. */
  layout: 0 | 1;
  sendState: SendState;
  waited: boolean;
}

/** A recipient that gets a message; ids are uuids. */
export interface Person {
  recipient: PageRecipient;
  subscriberId: string;
  address: EmailAddress;
  messageId: string;
  /** A test address: everything happens but the sending. */
  simulated: boolean;
}

/** A message that is about to get its attempt mark; ids are uuids. */
export interface Mark {
  messageId: string;
  subscriberId: string;
  email: string;
  /** What the guard counts; null for a fixture address, which it does not. */
  mailbox: string | null;
  subject: string;
}

export interface Skip {
  messageId: string;
  subscriberId: string;
  email: string;
  reason: SkipReason;
  detail: string | null;
}

/** A message that is queued; ids are uuids. */
export interface QueuedRecipient {
  messageId: string;
  subscriberId: string;
  email: string;
  /** A fixture address: no relay sees its message. */
  simulated: boolean;
}

export interface Deferral extends Backoff {
  mark: Mark;
}
