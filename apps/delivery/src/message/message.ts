/**
 * QUEUED: accepted, waiting for its turn. HANDING_OVER: marked before the relay is given it; only this state may lead to
 * a relay. SENT: the relay took it. DELIVERED: nothing more is expected, or the receiver told. DEFERRED: not taken, due
 * again. FAILED: refused for good. BOUNCED, COMPLAINED: taken, and came back. SKIPPED: never handed over, for a reason.
 * IN_DOUBT: handed over, and nobody knows how it ended.
 */
export type MessageState =
  | 'QUEUED'
  | 'HANDING_OVER'
  | 'SENT'
  | 'DELIVERED'
  | 'BOUNCED'
  | 'COMPLAINED'
  | 'DEFERRED'
  | 'FAILED'
  | 'SKIPPED'
  | 'IN_DOUBT';

/** How one hand-over ended, as it is recorded. */
export type AttemptState = Extract<MessageState, 'SENT' | 'DELIVERED' | 'DEFERRED' | 'FAILED' | 'IN_DOUBT'>;

/** What is known of one hand-over; `wait` is the seconds until a deferred message is due again. */
export interface AttemptResult {
  state: AttemptState;
  code: number | null;
  enhancedCode: string | null;
  response: string;
  wait: number | null;
}

/** One message and its envelope as they go over the wire. */
export interface SmtpMessage {
  from: string;
  to: string;
  /** One character an octet. */
  raw: string;
  /** An address in it needs SMTPUTF8 (RFC 6531). */
  smtpUtf8: boolean;
  /** The trace of the call that it came of, where one is traced. */
  traceparent?: string | undefined;
}

/** What is told of a message with whatever happens to it; ids as on the wire. */
export interface MessageIdentity {
  organizationId: string;
  messageId: string;
  sendId: string | null;
  pageNo: number | null;
  subscriberId: string | null;
  campaignId: string | null;
  campaignName: string | null;
  subject: string;
  email: string;
}
