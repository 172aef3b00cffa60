/** Phrases that Amazon SES puts before a quoted reply, with a code of its own. */
const sesPhrase =
  /(?:[45]\.\d\.\d{1,3}\s+-\s+)?\b(?:unknown address error|bad destination mailbox address|other [a-z ]{3,30}(?:problem|error|status))\s+(?=\d{3}[- ])/gi;
/** The phrase that Postfix puts before the reason of any restriction. */
const postfixPhrase = /\brecipient address(?:es)? rejected\s?:\s*(?=[^\s(])/gi;

/** A refusal with its folded lines joined, as its server said it: without what a relay puts before its codes. */
export const unfolded = (text: string): string =>
  text
    .replace(/[ \t]*\r?\n[ \t]+/g, ' ')
    .replace(sesPhrase, '')
    .replace(/(\d{3}[- ])['"](?=[45]\.\d)/g, '$1');

/** The words of a refusal by which it is judged: without phrases that stand before any refusal, whatever its reason. */
export const refusalWords = (text: string): string => unfolded(text).replace(postfixPhrase, '');

const atMail =
  /\bin (?:reply|answer) to (?:the )?MAIL\b|\bafter MAIL FROM\b|^[ \t]*>>> MAIL From:[^\n]*\n[ \t]*<<< 5/im;
const atData =
  /\bin (?:reply|answer) to (?:the )?(?:end of )?DATA\b|\bafter (?:end of data|DATA\b|sending (?:the )?(?:message|data))|\bSMTP transmission failure has occurred|\brefused to accept your message \(DATA|\bSMTP command\s+DATA\b/i;
/** sendmail prints the reply to RCPT here too, where it has sent both commands at once; then the one to DATA follows. */
const dataTranscript = /^[ \t]*>>> DATA[ \t]*\n[ \t]*<<< 5\d\d([^]*<<< (?:503|554 [^\n]*no valid))?/im;
const atRcpt =
  /\bin (?:reply|answer) to (?:the )?RCPT\b|\bafter RCPT\b|^[ \t]*>>> RCPT To:[^\n]*\n[ \t]*<<< 5|\bdoes not like recipient|\brejected (?:the )?(?:recipient )?address|\[RCPT_TO\]/im;
/** A reply that begins with the address answers the command that named it. */
const namesRecipient = /\b55\d:? (?:<[^\s<>]{1,300}>(?::|\.\.\.)|[^\s<>]{1,300}@[^\s<>]{1,300}\.\.\.)/;

/** The command at which a report says that the message was refused; null where it does not say. */
export function refusedAt(text: string): 'MAIL' | 'RCPT' | 'DATA' | null {
  if (atMail.test(text)) return 'MAIL';
  const transcript = dataTranscript.exec(text);
  if (atData.test(text) || (transcript && transcript[1] === undefined)) return 'DATA';
  return transcript || atRcpt.test(text) || namesRecipient.test(text) ? 'RCPT' : null;
}

/** Replies by which a provider means the address, at whatever command: Yahoo and La Poste look it up only at DATA. */
export const isLookUp = (text: string): boolean => /delivery error: dd\b|\bLPN007_/.test(text);
