import { isIPv4, isIPv6 } from 'node:net';
import { toAsciiDomain } from './email-address.js';
import type { EmailAddress } from './email-address.js';

/** What `parseAddress` answers: the address, or why the text is none, as the end of "the address …". */
export type ParsedAddress = { ok: true; address: EmailAddress } | { ok: false; reason: string };

const LOCAL_OCTETS_MAX = 64; // RFC 5321 4.5.3.1.1
const ADDRESS_OCTETS_MAX = 254; // RFC 5321 4.5.3.1.3: a path of 256 octets without its angle brackets
const DISPLAY_LENGTH_MAX = 320;

const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
/** Beyond ASCII, RFC 6531 takes any UTF-8; invisible characters (Cf: bidi marks, joiners) would make look-alikes. */
const DOT_ATOM =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+)*$/u;
const QUOTED = /^"(?:[^"\\]|\\.)*"$/u;
const QUOTED_LOCAL = /^"(?:[ !#-[\]-~]|\\[ -~]|[^\p{ASCII}\p{C}\p{Z}])+"$/u;

const octets = (text: string): number => Buffer.byteLength(text);
const unquote = (quoted: string): string => quoted.slice(1, -1).replace(/\\(.)/gu, '$1');
const refuse = (reason: string): ParsedAddress => ({ ok: false, reason });

/** A name without quotes may hold a comma ("Acme, Inc."), but not so that a list passes for one address. */
const readDisplay = (text: string): string | null | undefined => {
  if (QUOTED.test(text)) return unquote(text).trim() || null;
  if (/[<>"]/.test(text) || (text.includes('@') && /[,;]/.test(text))) return undefined;
  return text || null;
};

/** Returns the local part in wire form, or null: `"ann"` is `ann`, and only characters that need an escape keep one. */
const readLocal = (text: string): string | null => {
  if (DOT_ATOM.test(text)) return text;
  if (!QUOTED_LOCAL.test(text)) return null;
  const content = unquote(text);
  return DOT_ATOM.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
};

const readIpLiteral = (domain: string): string | null => {
  const inside = domain.slice(1, -1);
  const isAddress = /^IPv6:/i.test(inside) ? isIPv6(inside.slice(5)) : isIPv4(inside);
  return isAddress ? domain : null;
};

const readMailbox = (text: string, display: string | null, allowIpLiteral: boolean): ParsedAddress => {
  const at = text.lastIndexOf('@');
  if (at < 0) return refuse('has no @');
  const local = readLocal(text.slice(0, at).normalize());
  if (local === null) return refuse('has a bad part before the @');
  if (octets(local) > LOCAL_OCTETS_MAX) return refuse(`has more than ${LOCAL_OCTETS_MAX} octets before the @`);
  const domain = text.slice(at + 1);
  const literal = domain.startsWith('[') && domain.endsWith(']');
  if (literal && !allowIpLiteral) return refuse('has an IP address as its domain');
  const asciiDomain = literal ? readIpLiteral(domain) : toAsciiDomain(domain);
  if (asciiDomain === null) return refuse('has a bad domain');
  if (octets(local) + 1 + asciiDomain.length > ADDRESS_OCTETS_MAX) {
    return refuse(`is longer than ${ADDRESS_OCTETS_MAX} octets`);
  }
  return { ok: true, address: { display, local, domain, asciiDomain } };
};

/**
 * Reads one address: `ann@example.org`, `<ann@example.org>`, `Ann <ann@example.org>` or `"Ann, B." <…>`. Local parts
 * are dot-atoms or quoted strings (RFC 5321), UTF-8 allowed (RFC 6531); domains may be international; `[192.0.2.1]`
 * only with `allowIpLiteral`. Comments, groups and lists are refused.
 */
export const parseAddress = (text: string, { allowIpLiteral = false } = {}): ParsedAddress => {
  const trimmed = text.trim();
  if (trimmed === '') return refuse('is empty');
  if (UNPRINTABLE.test(trimmed)) return refuse('has control characters');
  if (!trimmed.endsWith('>')) return readMailbox(trimmed, null, allowIpLiteral);
  const open = trimmed.lastIndexOf('<');
  if (open < 0) return refuse('has a > without its <');
  const display = readDisplay(trimmed.slice(0, open).trim());
  if (display === undefined) return refuse('has a name that needs quotes');
  if (display !== null && display.length > DISPLAY_LENGTH_MAX) return refuse('has too long a name');
  return readMailbox(trimmed.slice(open + 1, -1).trim(), display, allowIpLiteral);
};
