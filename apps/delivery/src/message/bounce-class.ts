import {
  classByStrongWords,
  classByWords,
  isAboutSending,
  saysMailboxDisabled,
  saysUnknownUser,
} from './bounce-phrases-en.js';
import type { BounceClass } from './bounce-phrases-en.js';
import { isAfterRecipient, isBeforeRecipient } from './attempt-report.js';
import { isLookUp, namesAddress } from './refusal-text.js';

export type { BounceClass };

const hard = (bounceCategory: BounceClass['bounceCategory']): BounceClass => ({ bounceType: 'HARD', bounceCategory });
const soft = (bounceCategory: BounceClass['bounceCategory']): BounceClass => ({ bounceType: 'SOFT', bounceCategory });

/**
 * Subject and detail of enhanced status codes (RFC 3463 section 3, RFC 7505, RFC 7372 and the IANA registry). A code is
 * hard only if the mailbox or its domain does not exist, or its domain takes no mail. A disabled mailbox may open
 * again, and policy, content and faults of the sender say nothing of it. `bounceCauses` of the contracts decides which
 * soft bounces count.
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
  '4.4': hard('INTERNAL'),
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

/** Codes of class 5.x that leave the cause open, so that the words decide; Postfix uses 5.4.4 for missing domains. */
const vague = new Set(['7.0', '7.1', '7.27', '2.0', '2.1', '1.0', '5.0', '3.0', '4.0', '5.4', '4.1', '4.4', '3.2']);
/** X.0.x is about no subject. */
const isVague = (detail: string): boolean => vague.has(detail) || detail.startsWith('0.');
/** Providers number their own codes from 300 on: 5.1.351 and 5.4.310 of Exchange Online. */
const isOwnCode = (detail: string): boolean => /^[0-5]\.[3-9]\d\d$/.test(detail);

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
 * Classifies a refusal that a mail server gave in the session. After the recipient was accepted, only a code that names
 * the address proves it dead, or the phrase of a provider that looks it up then.
 * @param code the reply code, null when the schedule gave up without a reply
 */
export function classifyRefusal(code: number | null, enhancedCode: string | null, response: string): BounceClass {
  const found = classOf(code, enhancedCode, response);
  if (found.bounceType === 'SOFT') return found;
  const isFilter = isAfterRecipient(response) && !namesAddress(enhancedCode) && !isLookUp(response);
  return isBeforeRecipient(response) || isFilter ? soft('POLICY') : found;
}

function classOf(code: number | null, enhancedCode: string | null, response: string): BounceClass {
  if (code === null || code < 500) {
    return soft(/^4\.2\.2$/.test(enhancedCode ?? '') || isFull(response) ? 'MAILBOX_FULL' : 'TRANSIENT');
  }
  const [, detail] = /^5\.(.+)$/.exec(enhancedCode ?? '') ?? [];
  const worded = classByWords(response);
  if (detail === undefined)
    return worded ?? (isAboutSending(response) ? soft('POLICY') : (byReplyCode[code] ?? soft('OTHER')));
  const coded = bySubjectAndDetail[detail] ?? bySubject[detail.split('.')[0]!] ?? soft('OTHER');
  if (isVague(detail) || isOwnCode(detail)) return byWordsAfter(detail, response, worded) ?? coded;
  return coded.bounceType === 'HARD' ? (contradiction(response) ?? coded) : coded;
}

function byWordsAfter(detail: string, response: string, worded: BounceClass | null): BounceClass | null {
  // Exchange Online says this when its directory has no such address.
  if (detail === '4.1' && /recipient address(?:es)? rejected\s?: access denied/i.test(response))
    return hard('NO_SUCH_USER');
  // RFC 7505: the sender's domain has a null MX. sendmail has it for the recipient's too.
  if (detail === '7.27') return worded?.bounceType === 'HARD' && !/sender|mail from/i.test(response) ? worded : null;
  if (detail === '3.2') return /not accepting network messages/i.test(response) ? hard('INTERNAL') : null;
  // X.2.1 is a disabled mailbox, unless the words say plainly that there is none.
  if (detail === '2.1') return worded?.bounceType === 'HARD' && saysUnknownUser(response) ? worded : null;
  return worded;
}

/**
 * Classifies the words that contradict the code of a dead address: existing addresses get such codes too, for another
 * reason. Plain words that there is no such user outweigh all but a full mailbox, a block list, and a failing server or
 * name server.
 */
function contradiction(response: string): BounceClass | null {
  const worded = classByStrongWords(response);
  if (worded === null || worded.bounceType === 'HARD' || !saysUnknownUser(response)) return softOrNull(worded);
  switch (worded.bounceCategory) {
    case 'MAILBOX_FULL':
      return worded;
    case 'BLOCKED':
      return /block ?list|black ?list|spamhaus/i.test(response) ? worded : null;
    case 'TRANSIENT':
      return saysMailboxDisabled(response) ? null : worded;
    default:
      return null;
  }
}

const softOrNull = (found: BounceClass | null): BounceClass | null => (found?.bounceType === 'SOFT' ? found : null);
