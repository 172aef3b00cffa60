import { domainToASCII, domainToUnicode } from 'node:url';

/** `local` is in wire form: quoted only where RFC 5321 needs quotes. */
export interface EmailAddress {
  /** The name before `<…>`, unquoted; null when there is none. */
  display: string | null;
  local: string;
  domain: string;
  /** The domain in DNS and SMTP form: lower case, labels in `xn--` form. */
  asciiDomain: string;
}

const DOMAIN_OCTETS_MAX = 253; // RFC 1035 2.3.4: 255 octets on the wire are 253 in text
const NOT_LDH = /[^\p{L}\p{N}\p{M}\u00b7\u200c\u200d\u3002\uff0e\uff61.-]/u;
const NOT_ASCII = /[^\p{ASCII}]/u;
const LDH_LABELS = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NUMERIC_TOP_LABEL = /(?:^|\.)[0-9]+$/;
const A_LABEL = /(?:^|\.)xn--/;

/**
 * Returns a typed domain in DNS form (IDNA through the URL standard), without a trailing dot. Null for an invalid host
 * name: bad labels, over 253 octets, an address in digits.
 */
export const toAsciiDomain = (domain: string): string | null => {
  // The URL host parser cuts at "/" and decodes "%41": neither belongs into a mail domain.
  if (NOT_LDH.test(domain)) return null;
  const lower = domain.toLowerCase();
  const plain = !NOT_ASCII.test(lower) && !lower.includes('xn--');
  const ascii = plain ? lower : domainToASCII(domain);
  if (ascii.length > DOMAIN_OCTETS_MAX || !LDH_LABELS.test(ascii) || NUMERIC_TOP_LABEL.test(ascii)) return null;
  // Newer versions of the standard accept labels that decode to nothing.
  return A_LABEL.test(ascii) && A_LABEL.test(domainToUnicode(ascii)) ? null : ascii;
};

/** Gives the address as MAIL FROM and RCPT TO carry it: `local@asciiDomain`. */
export const wireAddress = (address: EmailAddress): string => `${address.local}@${address.asciiDomain}`;

/** Whether the address travels only over SMTPUTF8 (RFC 6531): its local part is not ASCII. */
export const needsSmtpUtf8 = (address: EmailAddress): boolean => NOT_ASCII.test(address.local);

/**
 * Returns the identity of a mailbox: the whole address in lower case, its domain in ASCII form. Dots and plus tags are
 * kept: only the destination can interpret them.
 */
export const emailKey = (address: EmailAddress): string => wireAddress(address).toLowerCase();
