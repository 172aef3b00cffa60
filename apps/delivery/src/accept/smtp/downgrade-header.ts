import { addressParser } from 'postal-mime';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { addressField, textField } from '../../message/header-field.js';

const lineLengthAim = 76;
const lineOctetsMax = 998;
const addressNames = new Set(['from', 'sender', 'reply-to', 'to', 'cc', 'disposition-notification-to']);
/** What programs read: there an encoded word would mean nothing. */
const machineNames = /^(?:content-|list-|date$|mime-version$|references$|in-reply-to$)/;

/**
 * Rewrites a header field so that every relay takes it: names and texts in seven bits, domains in ASCII, and lines of
 * at most 998 octets where a space allows folding. An address that requires SMTPUTF8 stays unchanged.
 */
export function downgradeHeader(field: string): string {
  const fitted = /\P{ASCII}/u.test(field) ? encoded(field) : field;
  return fitted.split('\r\n').some((line) => Buffer.byteLength(line) > lineOctetsMax) ? folded(fitted) : fitted;
}

function encoded(field: string): string {
  const colon = field.indexOf(':');
  const name = field.slice(0, colon).trimEnd();
  const value = field.slice(colon + 1).replaceAll('\r\n', '');
  const lower = name.toLowerCase();
  if (machineNames.test(lower)) return field;
  if (!addressNames.has(lower)) return textField(name, value);
  const addresses = addressesIn(value);
  return addresses ? addressField(name, addresses) : field;
}

/** @returns null for groups, and for a value that is no list of addresses */
function addressesIn(value: string): EmailAddress[] | null {
  // One address is parsed as From is, so that the checked address is the one sent.
  const only = parseAddress(value);
  if (only.ok) return [only.address];
  const addresses = addressParser(value).flatMap(({ name, address }) => {
    const read = parseAddress(address ?? '');
    return read.ok ? { ...read.address, display: name || null } : null;
  });
  return addresses.every((address) => address !== null) && addresses.length > 0 ? addresses : null;
}

function folded(field: string): string {
  const [first = '', ...words] = field.replaceAll('\r\n', '').match(/^[^:]+:[ \t]*[^ \t]+|[ \t]+[^ \t]+/g) ?? [];
  const lines = [first];
  for (const word of words) {
    if (lines.at(-1)!.length + word.length > lineLengthAim) lines.push(word);
    else lines.push(lines.pop()! + word);
  }
  return lines.join('\r\n');
}
