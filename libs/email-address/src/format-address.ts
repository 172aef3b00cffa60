import type { EmailAddress } from './email-address.js';

/** RFC 5322 3.2.3: what an unquoted name may hold; beyond ASCII nothing needs quotes. */
const PHRASE = /^(?:[\w !#$%&'*+/=?^`{|}~-]|[^\p{ASCII}])+$/u;

/**
 * Writes an address as people read it and `parseAddress` takes it back: `Ann <ann@example.org>`, the name
 * quoted where RFC 5322 asks for it. Line breaks and other controls in the name become spaces. The text is
 * not encoded for a header: that is the composer's work (RFC 2047).
 */
export const formatAddress = (display: string | null, address: Pick<EmailAddress, 'local' | 'domain'>): string => {
  const mailbox = `${address.local}@${address.domain}`;
  const name = (display ?? '').replace(/[\p{Cc}\p{Cs}\u2028\u2029\s]+/gu, ' ').trim();
  if (name === '') return mailbox;
  const written = PHRASE.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
  return `${written} <${mailbox}>`;
};
