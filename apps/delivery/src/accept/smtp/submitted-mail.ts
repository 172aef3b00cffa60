import { createHash } from 'node:crypto';
import type { Email } from 'postal-mime';
import { parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
import { requestHash } from '#tool-call';
import type { ComposedMessage } from '../../message/compose-message.js';
import { closed, recompose, contentOf, isPlain } from './recompose.js';
import { downgradeHeader } from './downgrade-header.js';
import { fieldsOf, isField, nameOf, splitHeader, readMime, readable, valueOf } from './parse-mime.js';
import { SmtpRefusal } from './smtp-refusal.js';

export interface SubmittedMail {
  /** As it goes out, but for the fields that are written for it: Message-ID and the signature. */
  composed: ComposedMessage;
  from: EmailAddress;
  subject: string;
  html: string | null;
  text: string | null;
  idempotencyKey: string | null;
  /** The same for the same mail, though a client writes another Message-ID, date and boundary at each attempt. */
  digest: string;
}

/**
 * Fields that are removed: Tidings writes them itself, servers on the way write them, or recipients must not see them.
 */
const dropped = new Set([
  ...['bcc', 'resent-bcc', 'return-path', 'delivered-to', 'received', 'received-spf', 'authentication-results'],
  ...['message-id', 'dkim-signature', 'domainkey-signature', 'x-idempotency-key', 'feedback-id'],
]);
const droppedPrefixes = ['arc-', 'x-tidings-'];
/** RFC 5322 3.6: at most one of each. */
const single = new Set([
  ...['from', 'sender', 'to', 'cc', 'reply-to', 'subject', 'date', 'in-reply-to', 'references'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'auto-submitted'],
]);
const headerOctetsMax = 64 * 1024;
const keyLengthMax = 255;
/** 10 MB of base64 are half as many; taking a mail apart costs by the line. */
const linesMax = 250_000;

/**
 * Parses a submitted mail and makes it fit to be sent: CRLF only, one of each field that may occur once, seven bits and
 * lines of at most 998 octets.
 * @throws SmtpRefusal for mail without one From address, or with a malformed or oversized header
 */
export async function readSubmittedMail(raw: Buffer, now: Date): Promise<SubmittedMail> {
  const octets = splitHeader(raw);
  const { head, body } = octets;
  if (head.length > headerOctetsMax) throw new SmtpRefusal(552, '5.3.4', 'The header is longer than 64 KB');
  if (linesIn(head) + linesIn(body) > linesMax)
    throw new SmtpRefusal(554, '5.6.0', `The message has more than ${linesMax} lines`);
  const all = fieldsOf(head).map(readable).map(named);
  const value = (name: string) => valueOf(all.find((field) => nameOf(field) === name));
  const from = oneFrom(all.filter((field) => nameOf(field) === 'from').map(valueOf));
  const idempotencyKey = value('x-idempotency-key') || null;
  if (idempotencyKey !== null && idempotencyKey.length > keyLengthMax) {
    throw new SmtpRefusal(550, '5.6.0', `X-Idempotency-Key has more than ${keyLengthMax} characters`);
  }
  const parsed = await readMime(octets);
  if (!parsed) throw new SmtpRefusal(554, '5.6.0', 'The message cannot be read as MIME');
  const ours = kept(all).filter((field) => nameOf(field) !== 'sender' || isOfDomain(valueOf(field)!, from));
  const fields = ours.map(downgradeHeader);
  if (!fields.some((field) => nameOf(field) === 'date'))
    fields.push(`Date: ${now.toUTCString().replace('GMT', '+0000')}`);
  const composed =
    isPlain(body) && !fields.some(isWide) ? { fields, body: closed(body) } : await recompose(fields, parsed);
  return {
    composed: { ...composed, smtpUtf8: composed.fields.some((field) => /\P{ASCII}/u.test(field)) },
    from,
    subject: storable(parsed.subject ?? '').slice(0, 998),
    html: parsed.html === undefined ? null : storable(parsed.html),
    text: parsed.text === undefined ? null : storable(parsed.text),
    idempotencyKey,
    digest: digestOf(kept(all), parsed),
  };
}

/** No database text can hold NUL, which base64 may. */
const storable = (text: string): string => text.replaceAll('\0', '');

function linesIn(octets: string): number {
  let lines = 0;
  for (let at = octets.indexOf('\n'); at >= 0; at = octets.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Whether a field about the content has eight bits, such as the name of a file; recomposing the mail encodes it. */
const isWide = (field: string): boolean => nameOf(field).startsWith('content-') && /\P{ASCII}/u.test(field);

/** The name in a comment behind the address, as cron and old programs write it (RFC 5322 3.4), as a name of today. */
const named = (field: string): string =>
  field.replace(
    /^(from[ \t]*:)\s*([^\s()<>"]+@[^\s()<>"]+)\s+\(([^()<>"\\]*)\)\s*$/i,
    (_, from, address, name) => `${from} ${name.includes('=?') ? name : `"${name}"`} <${address}>`,
  );

function oneFrom(values: readonly (string | undefined)[]): EmailAddress {
  const [only, ...more] = values;
  if (only === undefined || more.length > 0) throw new SmtpRefusal(550, '5.6.0', 'The header must hold one From field');
  const read = parseAddress(only);
  if (!read.ok) throw new SmtpRefusal(550, '5.1.7', `The From address ${read.reason}`);
  return read.address;
}

/**
 * Only the domain of From is proved, and mail programs show a Sender, which could name any address, beside or before
 * it.
 */
function isOfDomain(value: string, { asciiDomain }: EmailAddress): boolean {
  const read = parseAddress(value);
  return read.ok && read.address.asciiDomain === asciiDomain;
}

/** @throws SmtpRefusal for a line that is no field */
function kept(all: readonly string[]): string[] {
  const seen = new Set<string>();
  return all.filter((field) => {
    const name = nameOf(field);
    if (!isField(field)) throw new SmtpRefusal(554, '5.6.0', 'The header holds a line that is no field');
    if (dropped.has(name) || droppedPrefixes.some((prefix) => name.startsWith(prefix))) return false;
    if (single.has(name) && seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function digestOf(fields: readonly string[], { html, text, attachments }: Email) {
  const said = fields.filter((field) => !/^(?:date|content-.*)$/.test(nameOf(field)));
  const parts = attachments.map((part) => {
    return [part.filename, part.mimeType, createHash('sha256').update(contentOf(part)).digest('hex')];
  });
  return requestHash(said, html, text, parts);
}
