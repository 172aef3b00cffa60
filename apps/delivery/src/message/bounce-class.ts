import { classByWords, isAboutSending } from './bounce-words.js';
import type { BounceClass } from './bounce-words.js';
import { aboutSender } from './hand-over-report.js';

export type { BounceClass };

const hard = (bounceCategory: BounceClass['bounceCategory']): BounceClass => ({ bounceType: 'HARD', bounceCategory });
const soft = (bounceCategory: BounceClass['bounceCategory']): BounceClass => ({ bounceType: 'SOFT', bounceCategory });

/**
 * Subject and detail of enhanced status codes (RFC 3463 section 3, RFC 7505, RFC 7372 and the IANA registry). Only what
 * says that the mailbox or its domain does not exist, or that its domain takes no mail, is hard: a disabled mailbox may open
 * again, and policy, content and the sender's faults say nothing of it. Which soft bounces count is decided by
 * `bounceCauses` of the contracts.
 */
const bySubjectAndDetail: Record<string, BounceClass> = {
  '1.1': hard('NO_SUCH_USER'),
  '1.2': hard('INTERNAL'),
  '1.3': hard('NO_SUCH_USER'),
  '1.4': soft('OTHER'),
  '1.6': hard('NO_SUCH_USER'),
  '1.10': hard('INTERNAL'),
  '2.1': soft('TRANSIENT'),
  '2.2': soft('MAILBOX_FULL'),
  '2.3': soft('CONTENT'),
  '3.1': soft('MAILBOX_FULL'),
  '3.4': soft('CONTENT'),
  '7.1': soft('POLICY'),
  '7.13': soft('TRANSIENT'),
};
/** By subject alone: address, mailbox, system, network, protocol, content, policy. */
const bySubject: Record<string, BounceClass> = {
  '1': soft('OTHER'),
  '2': soft('OTHER'),
  '3': soft('TRANSIENT'),
  '4': soft('TRANSIENT'),
  '5': soft('OTHER'),
  '6': soft('CONTENT'),
  '7': soft('POLICY'),
};

/** What a code of class 5.x leaves open, the words may say. Postfix has 5.4.4 for domains that are none, Exchange 5.4.310. */
const vague = new Set(['0.0', '7.0', '7.1', '2.0', '1.0', '5.0', '3.0', '4.0', '5.4', '4.1', '4.4', '4.310', '0.350']);

/** RFC 5321 4.2.3, where neither an enhanced code nor words help. */
const byReplyCode: Record<number, BounceClass> = {
  550: hard('NO_SUCH_USER'),
  551: hard('NO_SUCH_USER'),
  552: soft('MAILBOX_FULL'),
  553: hard('NO_SUCH_USER'),
  554: soft('OTHER'),
  556: hard('INTERNAL'),
};

const isFull = (response: string) =>
  /quota|\bfull\b/i.test(response) || classByWords(response)?.bounceCategory === 'MAILBOX_FULL';

/**
 * Classifies a refusal that a mail server gave in the session.
 * @param code the reply code, null when the schedule gave up without a reply
 */
export function classifyRefusal(code: number | null, enhancedCode: string | null, response: string): BounceClass {
  const found = classOf(code, enhancedCode, response);
  return found.bounceType === 'HARD' && response.endsWith(aboutSender) ? soft('POLICY') : found;
}

function classOf(code: number | null, enhancedCode: string | null, response: string): BounceClass {
  if (code === null || code < 500) {
    return soft(/^4\.2\.2$/.test(enhancedCode ?? '') || isFull(response) ? 'MAILBOX_FULL' : 'TRANSIENT');
  }
  const [, detail] = /^5\.(.+)$/.exec(enhancedCode ?? '') ?? [];
  if (detail !== undefined && !vague.has(detail)) {
    return bySubjectAndDetail[detail] ?? bySubject[detail.split('.')[0]!] ?? soft('OTHER');
  }
  const worded = classByWords(response);
  if (worded) return worded;
  if (detail !== undefined) return bySubjectAndDetail[detail] ?? bySubject[detail.split('.')[0]!] ?? soft('OTHER');
  return isAboutSending(response) ? soft('POLICY') : (byReplyCode[code] ?? soft('OTHER'));
}
