import type { AttemptResult } from '../../message/message.js';
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

/** A message that is about to get its attempt mark; ids are uuids. */
export interface Mark {
  messageId: string;
  subscriberId: string;
  email: string;
  /** What the guard counts; null for a fixture address, which it does not. */
  mailbox: string | null;
  subject: string;
}

/** The outcome of a marked message, and its events for other services as JSON objects separated by commas. */
export interface Settlement extends AttemptResult {
  messageId: string;
  /** When the relay answered, ISO 8601. */
  at: string;
  events: string;
}

export interface Skip {
  messageId: string;
  subscriberId: string;
  email: string;
  reason: SkipReason;
  detail: string | null;
}

export interface Deferral extends Backoff {
  mark: Mark;
}

export interface GroupCommit {
  /** Whether the lease still holds; if not, nothing was marked. */
  held: boolean;
  sendState: SendState;
  settled: string[];
  /** Message ids that may be put on the wire, and no others. */
  started: string[];
  /** Ids of messages that the guard deferred; they are rows now, and due when it admits them. */
  refused: string[];
}
