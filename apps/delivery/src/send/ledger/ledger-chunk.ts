import type { LedgerState } from '../../message/ledger-codes.js';
import type { LeasedChunk } from '../chunk/chunk.js';
import type { SendState } from '../send.js';
import type { SkipReason } from '../skip-reason.js';

/** The recipient at one position of a chunk; ids are uuids. */
export interface ChunkRecipient {
  position: number;
  messageId: string;
  subscriberId: string;
  email: string;
  /** Null for an address that is none. */
  mailboxHash: string | null;
  /** A fixture address: no relay sees its message. */
  simulated: boolean;
}

/** A message that is about to get its attempt mark. */
export interface LedgerMark {
  recipient: ChunkRecipient;
  /** What the guard counts; null for a fixture address, which it does not. */
  mailbox: string | null;
  subjectValues: readonly string[] | null;
}

/** The first outcome of a message, with which its row is inserted. */
export interface Outcome {
  recipient: ChunkRecipient;
  state: Exclude<LedgerState, 'QUEUED' | 'BOUNCED' | 'COMPLAINED'>;
  /** The relay of the attempt; null if it was not attempted. */
  relayId: number | null;
  /** When the relay answered, ISO 8601; null if it was not attempted. */
  at: string | null;
  code: number | null;
  response: string;
  /** Seconds until a deferred message is due. */
  wait: number | null;
  skipReason: SkipReason | null;
  subjectValues: readonly string[] | null;
  /** Events of its own, JSON objects separated by commas; its group event says the outcome besides. */
  events: string;
}

/**
 * What one chunk puts into a group commit. It changes nothing unless it is the commit `step` of this lease and relay, so
 * that the same one may be called again when an answer was lost.
 */
export interface ChunkCommit {
  page: LeasedChunk;
  relayId: number;
  /** How many commits of this lease and relay there were before. */
  step: number;
  outcomes: readonly Outcome[];
  marks: readonly LedgerMark[];
  /** Positions whose messages were marked and will not be put on the wire. */
  withdrawn: readonly number[];
  /** What the guard counts of the marks that are open, those in this commit apart: `pendingMark` of each. */
  pending: readonly string[];
  /** JSON objects separated by commas; null for none. */
  events: string | null;
  lane: number;
  /** The number of recipients if nothing is left to do, else null. */
  size: number | null;
}

/** An open mark as `send_attempt.pending` has it: the hash of the mailbox with the position in its last 9 bits. */
export const pendingMark = ({ mailboxHash, position }: ChunkRecipient): string =>
  ((BigInt(mailboxHash!) & -512n) | BigInt(position)).toString();

export interface ChunkCommitted {
  /** Whether the lease still holds; if not, nothing may be put on the wire. */
  held: boolean;
  sendState: SendState;
  /** Whether the outcomes are recorded; false once another lease began. */
  settled: boolean;
  /** Positions that may be put on the wire, and no others. */
  started: ReadonlySet<number>;
  /** Positions that the guard deferred; they have rows now. */
  refused: ReadonlySet<number>;
}
