import type { AttemptReport, SmtpStage } from '../../message/attempt-report.js';
import type { SmtpMessage } from '../../message/message.js';

/** The commands before the data, in order. */
export const envelopeStages = ['MAIL', 'RCPT', 'DATA'] as const satisfies readonly SmtpStage[];

/** Extensions that a relay offers in reply to EHLO, and its size limit in octets; 0 for none (RFC 1870). */
export interface Offers {
  extensions: readonly string[];
  sizeMax: number;
}

/** RFC 6531 3.7.4 and RFC 3463 3.8: this relay cannot carry the address. */
const noSmtpUtf8: AttemptReport = {
  kind: 'replied',
  code: 550,
  response: '550 5.6.7 The relay does not carry international addresses (SMTPUTF8)',
};
/** The relay announced its size limit (RFC 1870), so the message is not even offered. */
const tooLarge: AttemptReport = {
  kind: 'replied',
  code: 552,
  response: '552 5.3.4 The message is larger than the relay takes',
};

/** Returns why the message is not even offered to the relay; null if it may be. */
export function refusedByUs({ smtpUtf8, raw }: SmtpMessage, { extensions, sizeMax }: Offers): AttemptReport | null {
  if (smtpUtf8 && !extensions.includes('SMTPUTF8')) return noSmtpUtf8;
  return sizeMax > 0 && raw.length > sizeMax ? tooLarge : null;
}

/**
 * Returns the commands before the data, one character an octet, without their line ends.
 * @param receipts whether to request notifications of deliveries, and not of bounces alone (RFC 3461)
 */
export function envelopeOf(
  { from, to, raw, smtpUtf8 }: SmtpMessage,
  { extensions }: Offers,
  receipts: boolean,
): readonly [string, string, string] {
  const size = extensions.includes('SIZE') ? ` SIZE=${raw.length}` : '';
  const asks = receipts && extensions.includes('DSN');
  return [
    octets(`MAIL FROM:<${from}>${size}${smtpUtf8 ? ' SMTPUTF8' : ''}${asks ? ' RET=HDRS' : ''}`),
    octets(`RCPT TO:<${to}>${asks ? ' NOTIFY=SUCCESS,FAILURE,DELAY' : ''}`),
    'DATA',
  ];
}

const octets = (text: string): string => (/[^\p{ASCII}]/u.test(text) ? Buffer.from(text).toString('latin1') : text);

/** Returns the data of a message with each dot doubled that begins a line (RFC 5321 4.5.2), and what ends it. */
export function dataOf(raw: string): { body: string; end: string } {
  const body = raw.startsWith('.') || raw.includes('\r\n.') ? raw.replace(/^\./gm, '..') : raw;
  return { body, end: body.endsWith('\r\n') ? '.\r\n' : '\r\n.\r\n' };
}

export const codeOf = (reply: string): number => Number(reply.slice(0, 3));

export const isAccepted = (code: number, stage: SmtpStage): boolean =>
  stage === 'DATA' ? code === 354 : code >= 200 && code < 300;

/** Returns a refusal; null for a reply that is neither positive nor negative, which makes the connection unusable. */
export const refusalOf = (code: number, response: string, stage: SmtpStage): AttemptReport | null =>
  code >= 400 && code < 600 ? { kind: 'replied', code, response, stage } : null;

/** What servers say of connections rather than of messages: RFC 5321 3.8, and Exchange's "432 4.3.2 Concurrent connections limit exceeded". */
const turningAway = new Set([421, 432]);

export const isTurningAway = (report: AttemptReport): boolean =>
  report.kind === 'replied' && report.stage === 'MAIL' && turningAway.has(report.code);

/** "450 4.7.1 Too many messages in this session" */
const sessionIsOver = /\bthis (?:session|connection)\b/i;

/** Whether a report says that the connection has carried as many messages as the relay wants on one. */
export const endsSession = (report: AttemptReport): boolean =>
  report.kind === 'replied' &&
  report.stage === 'MAIL' &&
  (report.code === 421 || (report.code < 500 && sessionIsOver.test(report.response)));

/** Replies to a command out of order (RFC 5321 4.2.2): the relay did not read the one before. */
export const isBadSequence = ({ code, stage }: { code: number; stage?: SmtpStage }): boolean =>
  (code === 500 || code === 503) && (stage === 'RCPT' || stage === 'DATA');
