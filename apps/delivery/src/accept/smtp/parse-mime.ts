import { isUtf8 } from 'node:buffer';
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';

/** A mail in octets (a latin1 string, lines ending in CRLF), its header apart from its body. */
export interface MailOctets {
  head: string;
  body: string;
}

/** Ends lines with CRLF only, drops NUL, and parts the header from the body. */
export function splitHeader(raw: Buffer): MailOctets {
  const octets = raw
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/\r\n|\r|\n/g, '\r\n');
  const end = octets.startsWith('\r\n') ? 0 : octets.indexOf('\r\n\r\n');
  return {
    head: end < 0 ? octets : octets.slice(0, end),
    body: end < 0 ? '' : octets.slice(end + (end === 0 ? 2 : 4)),
  };
}

export const fieldsOf = (head: string): string[] =>
  head
    .split(/\r\n(?![ \t])/)
    .map((field) => field.replace(/\r\n[ \t]+(?=\r\n|$)/g, ''))
    .filter((field) => field.trim() !== '');

/**
 * A space before a name is kept and makes the name invalid: written out, the field would continue the one before it.
 */
export const nameOf = (field: string): string =>
  field
    .slice(0, Math.max(0, field.indexOf(':')))
    .trimEnd()
    .toLowerCase();

export const valueOf = (field: string | undefined): string | undefined =>
  field
    ?.slice(field.indexOf(':') + 1)
    .replace(/\r\n/g, '')
    .trim();

export const isField = (field: string): boolean => /^[!-9;-~]+$/.test(nameOf(field));

/** Decodes octets as UTF-8, and others, of old programs that declared no charset, as Windows-1252. */
export const readable = (octets: string): string => {
  const bytes = Buffer.from(octets, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : windows1252(octets);
};

/** As a stream, since Node 20's direct decoder reads windows-1252 without its quotes, dashes and €. */
function windows1252(octets: string): string {
  const decoder = new TextDecoder('windows-1252');
  return decoder.decode(Buffer.from(octets, 'latin1'), { stream: true }) + decoder.decode();
}

/** The quotes, dashes and € that Node 20's short way, which the parser goes, leaves as controls that no text holds. */
const mended = (text: string): string => text.replace(/[\x80-\x9f]+/g, windows1252);

const charsetIn = /;\s*charset\s*=\s*("[^"]*"|[^\s;]*)/i;
/**
 * Whether a type declares the meaning of the eighth bit: cron declares the charset of its locale, mostly ASCII, for
 * texts in UTF-8.
 */
function saysCharset(type: string, body: string): boolean {
  const [, charset] = charsetIn.exec(type) ?? [];
  if (charset === undefined) return false;
  return !/^"?(?:us-ascii|ansi_x3\.4-19\d\d|x-unknown|unknown-8bit)"?$/i.test(charset) || !/[\x80-\xff]/.test(body);
}

export async function readMime({ head, body }: MailOctets): Promise<Email | null> {
  const type = valueOf(fieldsOf(head).find((field) => nameOf(field) === 'content-type')) ?? 'text/plain';
  const isText = /^text\/[\w.+-]+\s*(;|$)/i.test(type);
  // Of two Content-Type fields the parser goes by the first.
  const bytes =
    isText && !saysCharset(type, body)
      ? [
          Buffer.from(`Content-Type: ${type.replace(charsetIn, '')}; charset=utf-8\r\n${head}\r\n\r\n`, 'latin1'),
          Buffer.from(readable(body)),
        ]
      : [Buffer.from(`${head}\r\n\r\n${body}`, 'latin1')];
  const email = await PostalMime.parse(Buffer.concat(bytes), { forceRfc822Attachments: true }).catch(() => null);
  if (!email) return null;
  const { subject, text, html } = email;
  return {
    ...email,
    ...(subject !== undefined && { subject: mended(subject) }),
    ...(text !== undefined && { text: mended(text) }),
    ...(html !== undefined && { html: mended(html) }),
  };
}
