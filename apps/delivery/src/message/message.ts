/**
 * QUEUED: accepted, waiting for its turn. HANDING_OVER: marked before the relay is given it; only this state may lead to
 * a relay. SENT: the relay took it. DELIVERED: nothing more is expected, or the receiver told. DEFERRED: not taken, due
 * again. FAILED: refused for good. BOUNCED, COMPLAINED: taken, and came back. SKIPPED: never handed over, for a reason.
 * IN_DOUBT: handed over, and nobody knows how it ended.
 */
export const messageStates = [
  'QUEUED',
  'HANDING_OVER',
  'SENT',
  'DELIVERED',
  'BOUNCED',
  'COMPLAINED',
  'DEFERRED',
  'FAILED',
  'SKIPPED',
  'IN_DOUBT',
] as const;
export type MessageState = (typeof messageStates)[number];
