import PostalMime from 'postal-mime';
import type { Attachment, Email } from 'postal-mime';
import { textFromHtml } from '#content';
import { messageRowIdFrom } from '../../message/message-id.js';
import { recipientsIn, recipientsMax, splitOriginal } from './bounce-text.js';
import { boundedLine, boundedText, textLengthMax } from './bounded-text.js';
import { classifyReport } from './classify-report.js';
import { addressIn, readFieldGroups, typedValue } from './report-fields.js';
import type { Fields } from './report-fields.js';
import { isAutoReply, looksLikeBounce } from './bounce-signals.js';
import type { MailReport, ReportedRecipient, ReportTraces } from './report.js';

/** Reports are short; the mails they return may not be. */
const octetsRead = 256 * 1024;
const linesRead = 8_000;
/** A mail names its own message, and perhaps some that it replies to; each is looked up. */
const tracesMax = 10;
/** RFC 3464: the words, the report, and what came back; some servers add more. */
const partsMax = 20;
/** No mail server exceeds these limits; a mail that does is read as bare text. */
const parserLimits = { forceRfc822Attachments: true, maxNestingDepth: 32, maxHeadersSize: 64 * 1024 };

const returnPathToken = /b\.[0-9a-z]{62}@[^\s<>"';,()[\]]+/gi;
const ourMessageId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}@[^\s<>"';,()[\]]+/gi;

interface ParsedReport {
  headers: Map<string, string>;
  text: string;
  /** RFC 3464. */
  status: Fields[];
  /** RFC 5965. */
  feedback: Fields[] | null;
  /** Whether it reports that the mail was read (RFC 8098). */
  receipt: boolean;
  returned: string;
}

/**
 * Reads an incoming mail: a bounce (RFC 3464, or the free text of older servers), a report of abuse (RFC 5965), or a
 * mail that changes nothing.
 */
export async function readReport(raw: Buffer): Promise<MailReport> {
  const mail = beginningOf(raw);
  const parts = await parse(mail);
  const traces = tracesIn(parts, mail.toString('latin1'));
  if (parts.feedback) return readComplaint(parts, parts.feedback, traces);
  const reporter = addressIn(/^X-HmXmrOriginalRecipient:(.*)$/im.exec(parts.returned)?.[1]);
  // Outlook.com's program for senders returns the message itself, with the complaining recipient in its header.
  if (reporter)
    return { kind: 'complaint', feedbackType: 'abuse', address: reporter, provider: 'outlook.com', ...traces };
  // Some servers and forwarders break the structure of the mail, and its text contains the fields.
  const fields = parts.status.length > 0 ? parts.status : strayFields(mail);
  // A read receipt of the recipient's program (RFC 8098) names a recipient too.
  if (parts.receipt || fields.some((group) => group.has('disposition'))) return { kind: 'other', why: 'receipt' };
  const feedback = recipientsOf(fields);
  if (feedback.length > 0) {
    const failed = feedback.filter(({ action }) => action === null || failedActions.has(action));
    const delivered = feedback
      .filter(({ action }) => deliveredActions.has(action))
      .map(({ address, finalAddress }) => ({ address, finalAddress }));
    if (failed.length === 0) {
      return delivered.length > 0 ? { kind: 'delivered', delivered, ...traces } : { kind: 'other', why: 'receipt' };
    }
    const surroundings = splitOriginal(parts.text).said;
    const named = recipientsIn(surroundings);
    const recipients = failed.map((one) => {
      const own = named.find(({ address }) => address.toLowerCase() === one.address?.toLowerCase())?.words;
      return classifyReport({ ...one, surroundings, own, sole: feedback.length === 1 });
    });
    return { kind: 'bounce', recipients, delivered, ...traces };
  }
  const noticed = sesBounces(parts);
  if (noticed.length > 0) return { kind: 'bounce', recipients: noticed, delivered: [], ...traces };
  if (!looksLikeBounce(parts)) return { kind: 'other', why: isAutoReply(parts) ? 'auto-reply' : 'no report' };
  return { kind: 'bounce', recipients: freeTextRecipients(parts), delivered: [], ...traces };
}

function beginningOf(raw: Buffer): Buffer {
  const begin = Math.max(
    0,
    raw.findIndex((octet) => octet > 32),
  );
  const mail = raw.subarray(begin, begin + octetsRead);
  let end = 0;
  for (let line = 0; line < linesRead; line += 1) {
    const next = mail.indexOf('\n', end);
    if (next < 0) return mail;
    end = next + 1;
  }
  return mail.subarray(0, end);
}

async function parse(raw: Buffer): Promise<ParsedReport> {
  const email = await PostalMime.parse(raw, parserLimits).catch(() => null);
  if (!email) return bare(raw.toString('latin1'));
  const headers = new Map<string, string>();
  for (const { key, value } of email.headers) if (!headers.has(key)) headers.set(key, boundedLine(value));
  // Header values are as they came; of the subject the words count.
  if (email.subject !== undefined) headers.set('subject', boundedLine(email.subject));
  const parts = email.attachments
    .slice(0, partsMax)
    .map((part) => ({ type: part.mimeType.toLowerCase(), text: textOfPart(part) }));
  const ofType = (pattern: RegExp) => parts.filter(({ type }) => pattern.test(type)).map(({ text }) => text);
  // Some break the fields of their parts: the rest below the header is the text then.
  const own = splitOriginal(textOf(email) || ofType(/^text\//)[0] || bodyOf(raw));
  const feedback = ofType(/^message\/feedback-report$/);
  return {
    headers,
    text: own.said,
    status: readFieldGroups(ofType(/^message\/(?:global-)?delivery-status$/).join('\n\n')),
    feedback: feedback.length > 0 ? readFieldGroups(feedback.join('\n')) : null,
    receipt: parts.some(({ type }) => /^message\/(?:global-)?disposition-notification$/.test(type)),
    returned: [
      ...ofType(/^(?:message\/(?:rfc822|global|partial|global-headers)|text\/(?:rfc822-headers|rfc822))$/),
      own.returned,
    ].join('\n'),
  };
}

function bare(mail: string): ParsedReport {
  const raw = boundedText(mail);
  const end = raw.indexOf('\n\n');
  const headers = readFieldGroups(raw.slice(0, Math.max(0, end)))[0] ?? new Map<string, string>();
  const { said, returned } = splitOriginal(raw.slice(Math.max(0, end)));
  return { headers, text: said, status: [], feedback: null, receipt: false, returned };
}

const textOf = ({ text, html }: Email): string => {
  const plain = text?.trim() ?? '';
  return boundedText(plain.length > 0 ? plain : textFromHtml((html ?? '').slice(0, textLengthMax)));
};

function bodyOf(raw: Buffer): string {
  const text = boundedText(raw.toString('latin1'));
  return text.slice(Math.max(0, text.indexOf('\n\n')));
}

const textOfPart = ({ content }: Attachment): string =>
  boundedText(typeof content === 'string' ? content : new TextDecoder().decode(content));

function tracesIn({ returned, headers }: ParsedReport, raw: string): ReportTraces {
  const text = `${raw}\n${returned}`;
  const own = headers.get('message-id') ?? '';
  const messageIds = distinct(text, ourMessageId)
    .filter((id) => !own.toLowerCase().includes(id))
    .flatMap((id) => messageRowIdFrom(id) ?? []);
  return { messageIds: [...new Set(messageIds)], returnPaths: distinct(text, returnPathToken) };
}

function distinct(text: string, pattern: RegExp): string[] {
  const found = new Set<string>();
  for (const [one] of text.matchAll(pattern)) if (found.add(one.toLowerCase()).size === tracesMax) break;
  return [...found];
}

/** RFC 3464 2.3.3: `relayed` to a server that will tell nothing, `expanded` into further addresses, which are not ours. */
const deliveredActions = new Set<string | null>(['delivered', 'relayed', 'expanded']);
/** `expired` of SendGrid: every attempt was made. */
const failedActions = new Set(['failed', 'delayed', 'expired']);

/** RFC 5965: only abuse is a complaint; not-spam takes one back, and the other types are about something else. */
function readComplaint({ returned }: ParsedReport, groups: readonly Fields[], traces: ReportTraces): MailReport {
  const fields: Fields = new Map(groups.flatMap((group) => [...group]));
  const feedbackType = (fields.get('feedback-type') ?? 'abuse').toLowerCase();
  if (feedbackType !== 'abuse') return { kind: 'other', why: 'feedback' };
  const header = readFieldGroups(returned)[0];
  const address =
    addressIn(typedValue(fields.get('original-rcpt-to'))) ??
    addressIn(fields.get('removal-recipient')) ??
    addressIn(header?.get('to'));
  const provider = fields.get('user-agent') ?? fields.get('reporting-mta') ?? null;
  return { kind: 'complaint', feedbackType, address, provider, ...traces };
}

const recipientFields = ['final-recipient', 'original-recipient', 'status', 'action'];

function recipientsOf(groups: readonly Fields[]) {
  return groups
    .filter((fields) => recipientFields.some((name) => fields.has(name)))
    .slice(0, recipientsMax)
    .map((fields) => {
      const status = statusIn(fields.get('status'));
      const [original, final] = ['original-recipient', 'final-recipient'].map((name) =>
        addressIn(typedValue(fields.get(name))),
      );
      return {
        address: original ?? final ?? null,
        finalAddress: original ? (final ?? null) : null,
        action: actionOf(fields, status),
        status,
        diagnostic: typedValue(fields.get('diagnostic-code')) ?? worded(fields.get('status')),
        // PowerMTA sorts bounces by itself.
        refused: fields.get('x-powermta-bouncecategory') === 'bad-mailbox' ? ('LIKELY_RCPT' as const) : null,
      };
    });
}

/** Some say in the Status what happened, in brackets or instead of a code. */
const worded = (status = ''): string => (/\p{L}{3}/u.test(status) ? status.replace(/^5\d\d\s+/, '') : '');

const statusIn = (text: string | undefined): string | null => /[245]\.\d{1,3}\.\d{1,3}/.exec(text ?? '')?.[0] ?? null;

function actionOf(fields: Fields, status: string | null): string | null {
  const [action] = /^[a-z]+/i.exec(fields.get('action') ?? '') ?? [];
  if (action !== undefined) return action.toLowerCase();
  if (status?.startsWith('2')) return 'delivered';
  return fields.has('will-retry-until') ? 'delayed' : null;
}

/** A notice begins with what bounced; the mail that it is about follows. */
const noticeLengthMax = 8_000;

/** Amazon SES reports by SNS, also by mail: a JSON text, or one within another. */
function sesBounces({ headers, text }: ParsedReport): ReportedRecipient[] {
  if (!/@sns\.amazonaws\.com\b/i.test(headers.get('from') ?? '')) return [];
  const plain = text.slice(0, noticeLengthMax).replace(/\\"/g, '"');
  const [, list = ''] = /"notificationType":\s*"Bounce"[^]*?"bouncedRecipients":\s*\[([^\]]*)\]/.exec(plain) ?? [];
  const field = (of: string, name: string) => new RegExp(`"${name}":\\s*"([^"]*)"`).exec(of)?.[1] ?? '';
  return list
    .split('}', recipientsMax)
    .filter((one) => one.includes('"emailAddress"'))
    .map((one) => {
      const address = addressIn(field(one, 'emailAddress'));
      const evidence = { address, finalAddress: null, action: 'failed', surroundings: '' };
      return classifyReport({
        ...evidence,
        status: statusIn(field(one, 'status')),
        diagnostic: field(one, 'diagnosticCode'),
      });
    });
}

const strayFields = (mail: Buffer): Fields[] =>
  readFieldGroups(boundedText(mail.toString('latin1'))).filter((fields) => fields.has('final-recipient'));

function freeTextRecipients({ headers, text, status }: ParsedReport): ReportedRecipient[] {
  const failed = (headers.get('x-failed-recipients') ?? '')
    .split(',', recipientsMax)
    .flatMap((one) => addressIn(one) ?? []);
  const { said } = splitOriginal(text);
  const named = recipientsIn(said);
  const field = status.find((fields) => fields.has('status'))?.get('status');
  const common = { finalAddress: null, action: null, status: statusIn(field) };
  const surroundings = `${headers.get('subject') ?? ''}\n${said}`;
  const known = failed.length > 0 ? failed : named.map(({ address }) => address);
  if (known.length === 0) return [classifyReport({ address: null, diagnostic: '', surroundings, ...common })];
  return known.map((address) => {
    const words = named.find((one) => one.address.toLowerCase() === address.toLowerCase())?.words ?? '';
    return classifyReport({ address, diagnostic: words, surroundings, sole: known.length === 1, ...common });
  });
}
