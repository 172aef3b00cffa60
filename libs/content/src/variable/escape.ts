/** How a value is written into its place: `html` covers text and quoted attributes alike. */
export type EscapeMode = 'html' | 'text' | 'header';

/**
 * Characters no value may bring: controls, and the bidirectional overrides whose effect runs on past the value
 * (Unicode UAX 9; marks U+200E and U+200F stay).
 */

const UNSAFE_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

const UNSAFE_HTML = /[&<>"'\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

const HEADER_BREAK = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string =>
  UNSAFE_HTML.test(text)
    ? text.replace(UNSAFE_TEXT, '').replace(/[&<>"']/gu, (character) => ENTITIES[character]!)
    : text;

/**
 * Finished addresses hold no controls, so five searches do; they take a third of the time of the pattern above, and a
 * mail has many links.
 */
export const needsEscape = (address: string): boolean =>
  address.includes('&') ||
  address.includes('"') ||
  address.includes("'") ||
  address.includes('<') ||
  address.includes('>');

export const escapeAddress = (address: string): string => (needsEscape(address) ? escapeHtml(address) : address);

/** Makes text fit for one line of a mail header: no line break in any spelling, no encoded word that could hide one. */
export const escapeHeader = (text: string): string =>
  text.replace(HEADER_BREAK, ' ').replace(UNSAFE_TEXT, '').replace(/=\?/gu, '= ?');

const LINE_BREAK = /[\r\n\t\u2028\u2029]/u;

export const escapeFor = (mode: EscapeMode, value: string): string => {
  if (mode === 'html') return escapeHtml(value);
  if (mode === 'header') return escapeHeader(value);
  const line = LINE_BREAK.test(value) ? value.replace(/\s+/gu, (gap) => (LINE_BREAK.test(gap) ? ' ' : gap)) : value;
  return line.replace(UNSAFE_TEXT, '');
};

/** The pattern of half pairs is slow; nearly no value holds any pair. */
const SURROGATE = /[\ud800-\udfff]/;

const encode = (value: string): string =>
  encodeURIComponent(SURROGATE.test(value) ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value).replace(
    /['()]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );

/** Encodes a value within an address, so that it can neither end nor redirect it. */
export const encodeComponent = (value: string): string => encode(value);

/** The same after `mailto:` and `tel:`, where `@` and `+` belong to the address (RFC 6068, RFC 3966). */
export const encodeMailbox = (value: string): string => encode(value).replace(/%40/gu, '@').replace(/%2B/giu, '+');
