import MailComposer from 'nodemailer/lib/mail-composer';
import type { Attachment, Email } from 'postal-mime';
import { downgradeHeader } from './downgrade-header.js';
import { fieldsOf, isField, splitHeader, readMime, readable } from './parse-mime.js';

const lineOctetsMax = 998;
/** Nesting levels of mails in mails that are recomposed; each is parsed again with all its parts. */
const innerLevelsMax = 3;

export const isPlain = (octets: string): boolean =>
  !/[\x80-\xff]/.test(octets) && octets.split('\r\n').every((line) => line.length <= lineOctetsMax);

export const closed = (body: string): string => (body.endsWith('\r\n') ? body : `${body}\r\n`);

export const contentOf = ({ content }: Attachment): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));

/** Another form of the mail's text, and no file beside it (RFC 6047 section 2.4). */
const isInvitation = ({ mimeType, method, disposition }: Attachment): boolean =>
  mimeType === 'text/calendar' && /^[A-Z]+$/.test(method ?? '') && disposition !== 'attachment';

/** Composes a body from its parts again, since eight bits and long lines do not pass every relay. */
export async function recompose(
  fields: readonly string[],
  { html, text, attachments }: Email,
  level = 0,
): Promise<{ fields: string[]; body: string }> {
  const mail = new MailComposer({
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    textEncoding: 'base64',
    alternatives: attachments.filter(isInvitation).map((part) => ({
      content: contentOf(part),
      contentType: `text/calendar; charset=utf-8; method=${part.method}`,
    })),
    attachments: await Promise.all(
      attachments
        .filter((part) => !isInvitation(part))
        .map(async (part) => ({
          filename: part.filename ?? false,
          ...(await fitContent(part, level)),
          ...(part.contentId && { cid: part.contentId.replace(/^<|>$/g, '') }),
          ...(part.disposition === 'inline' && { contentDisposition: 'inline' as const }),
        })),
    ),
  });
  const built = (await mail.compile().build()).toString('latin1');
  const end = built.indexOf('\r\n\r\n');
  const own = fieldsOf(built.slice(0, end)).filter((field) => /^(?:content-|mime-version)/i.test(field));
  const others = fields.filter((field) => !/^(?:content-|mime-version)/i.test(field));
  return { fields: [...others, ...own], body: closed(built.slice(end + 4)) };
}

/**
 * A mail in a mail is never encoded as a whole (RFC 2046 5.2.1): it is recomposed itself, or becomes an ordinary file.
 */
async function fitContent(part: Attachment, level: number) {
  const content = contentOf(part);
  if (!part.mimeType.startsWith('message/')) return { content, contentType: part.mimeType };
  const mail = splitHeader(content);
  const asIs = `${mail.head}\r\n\r\n${mail.body}`;
  const fit = isPlain(asIs) ? asIs : part.mimeType === 'message/rfc822' ? await innerMail(content, level + 1) : null;
  return fit === null
    ? { content, contentType: 'application/octet-stream', filename: part.filename ?? 'message.eml' }
    : { content: Buffer.from(fit, 'latin1'), contentType: part.mimeType };
}

/** Null for a mail that cannot be recomposed: no MIME, nested too deep, or with addresses that need SMTPUTF8. */
async function innerMail(content: Buffer, level: number): Promise<string | null> {
  const mail = splitHeader(content);
  const parsed = level <= innerLevelsMax ? await readMime(mail) : null;
  if (!parsed) return null;
  const fields = fieldsOf(mail.head).map(readable).filter(isField).map(downgradeHeader);
  const anew = await recompose(fields, parsed, level);
  const fit = `${anew.fields.join('\r\n')}\r\n\r\n${anew.body}`;
  return isPlain(fit) ? fit : null;
}
