import { needsSmtpUtf8 } from '#email-address';
import type { EmailAddress } from '#email-address';
import { isCustomHeaderAllowed } from './custom-header.js';
import { addressField, customField, listIdField, textField, tokenField } from './header-field.js';
import { encodeText } from './transfer-encoding.js';
import type { EncodedText } from './transfer-encoding.js';

export interface MessageDraft {
  from: EmailAddress;
  to: EmailAddress[];
  cc?: EmailAddress[];
  replyTo: EmailAddress;
  subject: string;
  html: string | null;
  text: string | null;
  messageId: string;
  date: Date;
  /** Marketing and workflow mail: the https address that takes the one-click POST (RFC 8058), and a mailto beside it. */
  unsubscribe?: { url: string; mailto?: string };
  listId?: { id: string; name: string };
  feedbackId?: string;
  /** Mail in reply to a person or a machine (RFC 3834). */
  autoSubmitted?: 'auto-generated' | 'auto-replied';
  /** The caller's own headers, names allowed by `isCustomHeaderAllowed`. */
  headers?: { name: string; value: string }[];
}

export interface ComposedMessage {
  fields: string[];
  /** The body, one character an octet. */
  body: string;
  /** Whether an address needs SMTPUTF8 (RFC 6531). */
  smtpUtf8: boolean;
}

export const headerOctetsMax = 64 * 1024;
const URI = /^[a-z]+:[!-;=?-~]+$/i;
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~.-]+$/;

const inBrackets = (uri: string): string => {
  if (!URI.test(uri)) throw new Error('An unsubscribe address is no URI in ASCII.');
  return `<${uri}>`;
};

/** The fields by which a mailbox provider knows a list. @throws Error for an address or id that no field can hold */
export const listFields = ({
  unsubscribe,
  listId,
  feedbackId,
}: Pick<MessageDraft, 'unsubscribe' | 'listId' | 'feedbackId'>): string[] => {
  const fields: string[] = [];
  if (unsubscribe) {
    const uris = [unsubscribe.url, ...(unsubscribe.mailto === undefined ? [] : [unsubscribe.mailto])].map(inBrackets);
    fields.push(tokenField('List-Unsubscribe', uris.join(', ').split(' ')));
    fields.push('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  }
  if (listId) {
    if (!DOT_ATOM.test(listId.id)) throw new Error('A List-Id is no dot-atom.');
    fields.push(listIdField(listId.name, listId.id));
  }
  if (feedbackId !== undefined) fields.push(tokenField('Feedback-ID', [feedbackId]));
  return fields;
};

const customFields = (headers: NonNullable<MessageDraft['headers']>): string[] =>
  headers.map(({ name, value }) => {
    if (!isCustomHeaderAllowed(name)) throw new Error('A header of this name is not for callers.');
    return customField(name, value);
  });

let lastDate = { second: NaN, field: '' };

/** RFC 5322 3.3, in UTC; cached, since a send makes hundreds of messages within a second. */
export const dateField = (date: Date): string => {
  const second = Math.floor(date.getTime() / 1000);
  if (second !== lastDate.second) lastDate = { second, field: `Date: ${date.toUTCString().replace('GMT', '+0000')}` };
  return lastDate.field;
};

/** The fields of a text part. */
export const partFields = (type: 'plain' | 'html', encoding: EncodedText['encoding']): string[] => [
  `Content-Type: text/${type}; charset=utf-8`,
  `Content-Transfer-Encoding: ${encoding}`,
];

const part = (type: 'plain' | 'html', text: string): { fields: string[]; lines: string } => {
  const { encoding, lines } = encodeText(text);
  return { fields: partFields(type, encoding), lines };
};

/** "=_" occurs in neither quoted-printable nor base64, so no part can hold such a boundary. */
export const boundaryOf = (id: string): string => `=_${id.replace(/[^0-9A-Za-z]/g, '').slice(0, 40)}`;

export const alternativeField = (boundary: string): string =>
  `Content-Type: multipart/alternative;\r\n boundary="${boundary}"`;

/** Plain text first and HTML last (RFC 2046 5.1.4: the best last); one of them alone without a multipart around it. */
const content = ({ html, text, messageId }: MessageDraft): { fields: string[]; body: string } => {
  const parts = [...(text?.trim() ? [part('plain', text)] : []), ...(html === null ? [] : [part('html', html)])];
  const only = parts[0] ?? part('plain', '');
  if (parts.length < 2) return { fields: only.fields, body: `${only.lines}\r\n` };
  const boundary = boundaryOf(messageId);
  const written = parts.map(({ fields, lines }) => `--${boundary}\r\n${fields.join('\r\n')}\r\n\r\n${lines}\r\n`);
  return {
    fields: [alternativeField(boundary)],
    body: `${written.join('')}--${boundary}--\r\n`,
  };
};

/**
 * Composes a message: one each of From, To, Reply-To, Subject, Date, Message-ID and MIME-Version, lines of 76
 * characters but for long words of the caller's headers, seven bits but for addresses that need SMTPUTF8. Names,
 * subject and header values are made one line, so that no text can add a header.
 */
export const composeMessage = (draft: MessageDraft): ComposedMessage => {
  const { from, to, cc = [], replyTo, headers = [] } = draft;
  const { fields, body } = content(draft);
  const all = [
    addressField('From', [from]),
    addressField('To', to),
    ...(cc.length > 0 ? [addressField('Cc', cc)] : []),
    addressField('Reply-To', [replyTo]),
    textField('Subject', draft.subject),
    dateField(draft.date),
    tokenField('Message-ID', [draft.messageId]),
    ...(draft.autoSubmitted ? [`Auto-Submitted: ${draft.autoSubmitted}`] : []),
    ...listFields(draft),
    ...customFields(headers),
    'MIME-Version: 1.0',
    ...fields,
  ];
  if (all.reduce((octets, field) => octets + field.length + 2, 0) > headerOctetsMax) {
    throw new Error('The headers are longer than 64 KB.');
  }
  return { fields: all, body, smtpUtf8: [from, ...to, ...cc, replyTo].some(needsSmtpUtf8) };
};

/** Gives a message, one character an octet, its signature field in front of the others. */
export const messageOctets = ({ fields, body, smtpUtf8 }: ComposedMessage, signature?: string): string => {
  const header = `${(signature === undefined ? fields : [signature, ...fields]).join('\r\n')}\r\n\r\n`;
  return (smtpUtf8 ? Buffer.from(header).toString('latin1') : header) + body;
};

export const messageBytes = (message: ComposedMessage, signature?: string): Buffer =>
  Buffer.from(messageOctets(message, signature), 'latin1');
