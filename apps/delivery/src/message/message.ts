/**
 * QUEUED: accepted, waiting to be sent. HANDING_OVER: has an attempt mark, which is committed before the relay gets it;
 * only messages in this state may go to a relay. SENT: the relay took it. DELIVERED: no more is expected, or its
 * arrival was reported. DEFERRED: not taken, due again. FAILED: refused permanently. BOUNCED, COMPLAINED: taken, and
 * came back. SKIPPED: never attempted, for a reason. IN_DOUBT: attempted with an unknown outcome.
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

/** Where a message is: 0 a row of `message`; 1 a row of `campaign_message`, with an id by position. */
export type MessageLayout = 0 | 1;

export type AttemptState = Extract<MessageState, 'SENT' | 'DELIVERED' | 'DEFERRED' | 'FAILED' | 'IN_DOUBT'>;

/** The outcome of one delivery attempt; `wait` is the seconds until a deferred message is due again. */
export interface AttemptResult {
  state: AttemptState;
  code: number | null;
  enhancedCode: string | null;
  response: string;
  wait: number | null;
}

export interface SmtpMessage {
  from: string;
  to: string;
  /** One character an octet. */
  raw: string;
  smtpUtf8: boolean;
  /** The trace of the call that it came of, where one is traced. */
  traceparent?: string | undefined;
}

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
