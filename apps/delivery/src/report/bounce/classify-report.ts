import { decideBounce } from '#contracts';
import type { BounceDecision } from '#contracts';
import { classifyRefusal } from '../../message/bounce-class.js';
import type { BounceClass } from '../../message/bounce-class.js';
import { classByWords, saysMailboxDisabled, saysOwnLookUp } from '../../message/bounce-phrases-en.js';
import { isLookUp, namesAddress, refusedAt, unfolded } from '../../message/refusal-text.js';
import type { RefusedAt } from '../../message/refusal-text.js';
import { findCodes } from './codes.js';
import type { NamedRecipient, ReportedRecipient } from './report.js';

const reasonLengthMax = 500;
/** Longer texts say nothing more, and patterns are tried on every line. */
const textLengthMax = 8_000;

const givesUp =
  /permanent|fatal error|(?:will|shall|does) not (?:be )?(?:re-?tr|try)|giv(?:en|ing) up|gave up|could not be delivered|couldn'?t be delivered|undeliverable|failed permanently|not going to try/i;
const goesOn =
  /(?:will|shall) (?:keep|continue|be (?:re-?tried|attempted))|still (?:be )?(?:try|attempt|being)|not yet (?:been )?deliver|delivery (?:has been |is |was )?delayed|message delayed|warning[: ]|you do not need to (?:re-?send|do)|noch nicht zugestellt|weiter(?:hin)? versucht|verzögert|pas encore été|retardée?|seguir[aá] intentando|retrasad|ritardat|atrasad|vertraagd|försenad|forsinket|opóźnion|задерж|ещ[её] не доставлен|遅延|再送|延迟|延遲|지연/i;
/** Another attempt might have been of use; whether there is one it does not say. */
const passes = /temporary (?:failure|error|problem)|transient/i;

/** Every attempt was made before the server gave up. */
const expired = /expired|too old|in the queue too long|multiple (?:retries|attempts)|failed \d+ attempts/i;

export interface Evidence extends NamedRecipient {
  /** The Action field (RFC 3464 2.3.3); null in free text. */
  action: string | null;
  /** The Status field; null in free text. */
  status: string | null;
  /** The Diagnostic-Code field, or the words around the recipient. */
  diagnostic: string;
  surroundings: string;
  /**
   * Whether the mail names no other recipient (default: true), so that statements about the session are about this one.
   */
  sole?: boolean;
  /** The free text of the mail about this recipient, if it names others too. */
  own?: string;
  /** The command that was refused, if the reporter names it and the words do not say it. */
  refused?: RefusedAt | null;
}

export function classifyReport(evidence: Evidence): ReportedRecipient {
  const {
    address,
    finalAddress,
    action,
    status,
    diagnostic,
    surroundings,
    sole = true,
    own = '',
    refused = null,
  } = evidence;
  const [words, more] = [diagnostic, surroundings].map((text) => unfolded(text.slice(0, textLengthMax))) as [
    string,
    string,
  ];
  const near = findCodes(words);
  const found = near.status !== null || near.reply !== null || status !== null ? near : findCodes(more);
  const codes = { status: mostExact(status, found.status), reply: found.reply };
  const isPermanentFailure = isPermanent({ status: codes.status, reply: found.reply, words, more });
  const delayed =
    action === null ? status === null && !isPermanentFailure && goesOn.test(`${words}\n${more}`) : action === 'delayed';
  const permanent = isPermanentFailure && !delayed;
  // Where others are named too, the rest of the mail may be about them.
  const names = words === '' && /^5\.1\.[1-9]/.test(codes.status ?? '');
  const isMute = words === '' || (sole && classByWords(words) === null && classByWords(more) !== null);
  // Beside a code that names the address, only words of the refusal itself count, and no footer.
  const said = isMute && !names ? more : `${words}\n${sole ? rejectionReason(more) : ''}`.trimEnd();
  const stage = refusedAt(`${diagnostic}\n${sole ? surroundings : own}`.slice(0, textLengthMax)) ?? refused;
  const bounceClass = atStage(classOf(codes, permanent, said), { stage, status: codes.status, said, words });
  return {
    address,
    finalAddress,
    action: delayed ? 'delayed' : 'failed',
    permanent,
    ...bounceClass,
    status: codes.status,
    reason: (words || more)
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, reasonLengthMax),
    suppression: decide(bounceClass, { status: codes.status, said, permanent }),
  };
}

/** The recipient with the class that a provider gives it, since codes and words give none. */
export const reclassify = (recipient: ReportedRecipient, bounceClass: BounceClass): ReportedRecipient => ({
  ...recipient,
  ...bounceClass,
  suppression: decide(bounceClass, { ...recipient, said: recipient.reason }),
});

const decide = (
  bounceClass: BounceClass,
  { status, said, permanent }: { status: string | null; said: string; permanent: boolean },
): BounceDecision =>
  decideBounce({
    ...bounceClass,
    status,
    reason: said,
    mailboxDisabled: saysMailboxDisabled(said),
    relayUnavailable: false,
    // A server that sends a report has made all its attempts, unless it gave up at the first.
    retriesExhausted: !permanent || expired.test(said),
  });

/** RFC 5321 4.2.2 has two phrases for an address. */
const isStandardPhrase = (words: string): boolean => /mailbox (?:unavailable|name not allowed)/i.test(words);

/** Exim says "unrouteable address" only of addresses that it looks up, beside a reply code too. */
const isOwnLookUp = (words: string, said: string): boolean =>
  /\b5[0-5]\d\b/.test(words) ? /unroute?able address/i.test(words) : saysOwnLookUp(said);

/** RFC 7504: the host takes no mail from any sender. */
const isNoMailHost = (words: string): boolean => /\b521\b|does not accept (?:any )?mail/i.test(words);

/** Codes that are about the mailbox or a rule (RFC 3463 X.2.1, X.7.x). */
const otherSubject = /^5\.(?:2\.1|7\.\d{1,3})$/;

/** What Dovecot gives as the reason of its own rejection, beside a code that is the same for all. */
const rejectionReason = (text: string): string => /was automatically rejected:\s*([^\n]+)/i.exec(text)?.[1] ?? '';

/**
 * A refusal of MAIL FROM names no recipient. A refusal of the message, after its recipient was accepted, comes from a
 * filter unless its code names the address (RFC 3463 X.1). "User unknown" in a reply is believed with such a code or
 * where RCPT TO was refused. Some servers say it of mail that they filter, and carriers of Japan document it. A stage
 * that is only likely, and the phrases of RFC 5321, count beside a code that is about nothing else. Without any of
 * these, only the reporting server's own look-up is believed.
 */
function atStage(
  bounceClass: BounceClass,
  facts: { stage: RefusedAt | null; status: string | null; said: string; words: string },
): BounceClass {
  const { stage, status, said, words } = facts;
  if (bounceClass.bounceType === 'SOFT' || stage === 'RCPT') return bounceClass;
  const filtered = { bounceType: 'SOFT', bounceCategory: 'POLICY' } as const;
  if (stage === 'MAIL') return isNoMailHost(said) ? bounceClass : filtered;
  if (stage === 'LIKELY_RCPT' && status !== null && !otherSubject.test(status)) return bounceClass;
  // Exchange Online says 5.4.1 of addresses that its directory does not have, and of mail that it filters.
  if (isLookUp(said) || namesAddress(status) || (status === '5.4.1' && stage !== 'DATA')) return bounceClass;
  if (stage === 'DATA' || status === '5.7.1') return filtered;
  if (status === '5.2.1') return { bounceType: 'SOFT', bounceCategory: 'TRANSIENT' };
  const isProof = status === '5.1.0' || (status !== null && isStandardPhrase(words)) || isOwnLookUp(words, said);
  return bounceClass.bounceCategory === 'NO_SUCH_USER' && !isProof
    ? { bounceType: 'SOFT', bounceCategory: 'OTHER' }
    : bounceClass;
}

/**
 * Returns the code that classifies a recipient, from the Status field and the reply of the remote server. The reply
 * refines a Status such as 5.0.0 if both are of one class. A code that calls the address dead gives way to any other.
 */
function mostExact(status: string | null, said: string | null): string | null {
  if (status === null || said === null) return status ?? said;
  if (/^5\.1\.(?!0$)/.test(status)) return /^5\.1\.|\.0\.0$/.test(said) ? status : said;
  return /^[45]\.\d\.0$/.test(status) && said.startsWith(status[0]!) ? said : status;
}

/** The Status field decides; else codes in the text, then its words. */
function isPermanent(facts: { status: string | null; reply: number | null; words: string; more: string }): boolean {
  const { status, reply, words, more } = facts;
  if (status) return status.startsWith('5');
  if (reply !== null) return reply >= 500;
  const worded = classByWords(words) ?? classByWords(more);
  if (worded?.bounceType === 'HARD') return true;
  if (worded?.bounceCategory === 'TRANSIENT' || worded?.bounceCategory === 'MAILBOX_FULL') return false;
  const text = `${words}\n${more}`;
  if ((goesOn.test(text) || passes.test(text)) && !givesUp.test(text)) return false;
  return true;
}

function classOf(
  { status, reply }: { status: string | null; reply: number | null },
  permanent: boolean,
  said: string,
): BounceClass {
  if (!permanent) return classifyRefusal(450, status, said);
  const code = reply !== null && reply >= 500 ? reply : null;
  if (code !== null || status !== null) return classifyRefusal(code ?? 500, status, said);
  return classByWords(said) ?? { bounceType: 'SOFT', bounceCategory: 'OTHER' };
}
