/** Headers the composer, the signer or a relay writes: a second one would be refused, or believed. */
const RESERVED = new Set([
  ...['authentication-results', 'auto-submitted', 'bcc', 'cc', 'date', 'delivered-to', 'dkim-signature', 'feedback-id'],
  ...['from', 'list-id', 'message-id', 'mime-version', 'received', 'received-spf', 'reply-to', 'return-path', 'sender'],
  ...['subject', 'to', 'x-idempotency-key'],
]);
const RESERVED_PREFIXES = ['arc-', 'content-', 'list-unsubscribe', 'resent-'];
const NAME = /^[!-9;-~]{1,76}$/; // RFC 5322 3.6.8: printable ASCII but the colon

export const reservedHeaders = { names: [...RESERVED].sort(), prefixes: RESERVED_PREFIXES };

export const isCustomHeaderAllowed = (name: string): boolean => {
  const lower = name.toLowerCase();
  return NAME.test(name) && !RESERVED.has(lower) && !RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
};
