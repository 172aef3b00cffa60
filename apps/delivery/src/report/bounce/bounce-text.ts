import { addressIn } from './report-fields.js';

const returnedBegins = [
  /^-{2,}\s*(?:below this line is a copy|this is a copy of (?:the|your) message|original message|the header of the original|unsent message below|returned (?:message|mail)|message header follows|your message (?:follows|was)|undelivered message|message (?:contents|text|headers?) follows?)/im,
  /^[-=* ]{0,12}(?:original message (?:follows|header)|unsent message below|message headers? follows?|returned message follows|received headers?:|copy of (?:your|the) (?:original )?message|the (?:text|headers?|first [^\n]{0,30}) of (?:the|your) (?:original )?message)/im,
  /^\s{0,4}(?:>\s?)?(?:Return-Path: ?<|Received: ?from )/im,
];

export function splitOriginal(text: string): { said: string; returned: string } {
  // The first lines always belong to the server: some begin with header fields of their own.
  const at = returnedBegins
    .map((begin) => begin.exec(text)?.index ?? -1)
    .filter((index) => index > 40)
    .reduce((least, index) => Math.min(least, index), text.length);
  return { said: text.slice(0, at), returned: text.slice(at) };
}

const blockLines = 8;
/** Our mails have one recipient each: a text that names more than this many says nothing about our message. */
export const recipientsMax = 20;

/**
 * Recipients that a text names as failed, each with the words around it: `<ada@example.org>: host … said: 550 …` (Postfix),
 * an address alone on a line with its reason indented below (Exim, qmail), `550 5.1.1 <ada@example.org>… User unknown`
 * (sendmail).
 */
export function recipientsIn(said: string): { address: string; words: string }[] {
  const lines = said.split('\n');
  const found = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    const address = leadingAddress(line) ?? refusedAddress(line);
    if (address === null || found.has(address.toLowerCase())) continue;
    if (found.size === recipientsMax) break;
    if (isHeaderEcho(lines, at)) continue;
    const block = lines.slice(at, at + blockLines);
    const ends = leadingAddress(line) === null ? endsReply : endsBlock;
    const end = block.findIndex((next, index) => index > 0 && ends(next, index));
    // A transcript shows the command on the line before.
    const command = /^\s*>>> /.test(lines[at - 1] ?? '') ? [lines[at - 1]] : [];
    found.set(address.toLowerCase(), [...command, ...(end < 0 ? block : block.slice(0, end))].join('\n'));
  }
  return [...found].map(([address, words]) => ({ address, words }));
}

/** The lines of one recipient go on to a blank line or to the next recipient. */
const endsBlock = (next: string, index: number): boolean =>
  index > 1 && (next.trim() === '' || leadingAddress(next) !== null);
/** A reply goes on in folded lines only: what follows in a transcript is about another recipient, or another host. */
const endsReply = (next: string): boolean => !/^[ \t]+\S/.test(next) || refusedAddress(next) !== null;

/** Some repeat the header of the mail that came back: `To:` beside a subject or a date names no failure. */
const isHeaderEcho = (lines: readonly string[], at: number): boolean =>
  /^\s*to:/i.test(lines[at]!) &&
  [lines[at - 1], lines[at + 1]].some((line) =>
    /^\s*(?:subject|sent|date|from|cc|content-type|message-id)\s*:/i.test(line ?? ''),
  );

/** `<ada@example.org>:`, `ada@example.org`, `"ada@example.org"`, `Failed recipient: ada@example.org` at the start of a line. */
function leadingAddress(line: string): string | null {
  const [, address] =
    /^\s{0,8}(?:(?:to|recipient|failed recipient|user|address|unable to deliver (?:message )?to|could not deliver (?:message )?to|final-recipient)\s*(?::\s*)?)?["'<(]{0,2}(?:rfc822;\s*)?([^\s<>"'(),;:@]+@[^\s<>"'(),;:@]+)[>"')]{0,2}\s*(?:$|[:;(,-]|on (?:\d|(?:mon|tue|wed|thu|fri|sat|sun)\b)|invalid address\b)/i.exec(
      line,
    ) ?? [];
  return addressIn(address);
}

const refusedAddress = (line: string): string | null =>
  /(?:^|[\s(<"-])[45]\d\d[\s-]/.test(line) ? addressIn(line) : null;
