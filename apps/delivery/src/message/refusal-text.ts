/** Phrases that Amazon SES puts before a quoted reply, with a code of its own. */
const sesPhrase =
  /(?:[45]\.\d\.\d{1,3}\s+-\s+)?\b(?:unknown address error|bad destination mailbox address|other [a-z ]{3,30}(?:problem|error|status))\s+(?=\d{3}[- ])/gi;
const postfixPhrase = /\brecipient address(?:es)? rejected\s?:\s*(?=[^\s(])/gi;

/** Joins the folded lines of a refusal as its server wrote it, without the text that a relay puts before its codes. */
export const unfolded = (text: string): string =>
  text
    .replace(/[ \t]*\r?\n[ \t]+/g, ' ')
    .replace(sesPhrase, '')
    .replace(/(\d{3}[- ])['"](?=[45]\.\d)/g, '$1');

export const refusalWords = (text: string): string => unfolded(text).replace(postfixPhrase, '');

/** Exim, Postfix and DragonFly name the command; qmail has a phrase for each. */
const beforeRcpt =
  /\bin (?:reply|answer) to (?:the )?(?:MAIL FROM|HELO|EHLO)\b|\bafter (?:pipelined |sending )?(?:MAIL FROM|HELO|EHLO|initial connection)\b|\bbut (?:sender was rejected|my name was rejected|greeting failed)|\bdid not like our (?:MAIL|HELO|EHLO)\b/i;
/** Gmail numbered its states: 14 was RCPT, 17 and 18 the message. */
const atData =
  /\bin (?:reply|answer) to (?:the )?(?:end of )?DATA\b|\bafter (?:pipelined )?(?:end of data|DATA\b|sending (?:the )?(?:message|data))|\bfailed (?:after I sent the message|on DATA command)|\bdid not like our (?:final )?DATA\b|\bSMTP transmission failure has occurred|\brefused to accept your message \(DATA|\bSMTP command DATA\b|\(state 1[78]\)/i;
const atRcpt =
  /\bin (?:reply|answer) to (?:the )?RCPT\b|\bafter (?:pipelined |sending )?RCPT\b|\bdid not like our RCPT\b|\bdoes not like recipient|\[RCPT_TO\]|\(state 14\)/i;
/** A relay says so of other refusals too, and a reply that begins with the address need not be one to RCPT. */
const likelyAtRcpt =
  /\brejected (?:the )?(?:recipient )?address|\b55\d:? (?:5\.\d\.\d{1,3} )?(?:<[^\s<>]{1,300}>(?::|\.\.\.)|[^\s<>]{1,300}@[^\s<>]{1,300}\.\.\.)/i;

const mailTranscript = /^[ \t]*>>> MAIL From:[^\n]*\n[ \t]*<<< 5/im;
const rcptTranscript = /^[ \t]*>>> RCPT To:[^\n]*\n[ \t]*<<< 5/im;
/** sendmail prints the reply to RCPT here too, where it has sent both commands at once; then the one to DATA follows. */
const dataTranscript = /^[ \t]*>>> DATA[ \t]*\n[ \t]*<<< 5\d\d([^]*<<< (?:503|554 [^\n]*no valid))?/im;

/** Whether an enhanced status code says of the address itself that it takes no mail (RFC 3463 X.1.1 and up). */
export const namesAddress = (status: string | null): boolean => /^5\.1\.[1-9]/.test(status ?? '');

/** `LIKELY_RCPT`: only the form of a report says so. `MAIL`: that command, or one before it. */
export type RefusedAt = 'MAIL' | 'RCPT' | 'LIKELY_RCPT' | 'DATA';

/** Returns the command at which a report says that the message was refused; null if it does not say. */
export function refusedAt(text: string): RefusedAt | null {
  // Reports break their own words over lines; a transcript has a line for each command.
  const words = text.replace(/\s+/g, ' ');
  if (beforeRcpt.test(words) || mailTranscript.test(text)) return 'MAIL';
  const transcript = dataTranscript.exec(text);
  if (atData.test(words) || (transcript && transcript[1] === undefined)) return 'DATA';
  if (atRcpt.test(words) || rcptTranscript.test(text)) return 'RCPT';
  return transcript || likelyAtRcpt.test(words) ? 'LIKELY_RCPT' : null;
}

/**
 * Replies by which a provider means the address, regardless of its code or the command. Yahoo, Mail.ru and La Poste
 * look it up only at DATA. Yandex, QQ and AT&T give it a code that is about something else, or none.
 */
export const isLookUp = (text: string): boolean =>
  /delivery error: dd\b|\bLPN007_|552 1 requested mail action aborted, mailbox not found|invalid mailbox\.\s+local mailbox \S+ is unavailable: user not found|5\.7\.1 no such user!|mailbox not found\.? https?:\/\/service\.(?:ex)?mail\.qq\.com|addressee unknown, relay=\[/i.test(
    text,
  );
