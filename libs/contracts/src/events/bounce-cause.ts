import type { EventData } from './events.js';

type Bounced = EventData<'message.bounced'>;

/** Why a message bounced, from most to least certain. Old histories hold these names: add to them, rename none. */
export type BounceCause =
  | 'DEAD_ADDRESS'
  | 'SENDER_REFUSED'
  | 'RELAY_UNAVAILABLE'
  | 'POLICY'
  | 'CONTENT'
  | 'BLOCKED'
  | 'OTHER'
  | 'RATE_LIMIT'
  | 'SENDER_QUOTA'
  | 'SYSTEM_FULL'
  | 'MAILBOX_FULL'
  | 'MAILBOX_DISABLED'
  | 'NOT_RETRIED'
  | 'UNREACHABLE'
  | 'TRANSIENT';

export interface BounceDecision {
  cause: BounceCause;
  counted: boolean;
}

export interface BounceFacts {
  bounceType: Bounced['bounceType'];
  bounceCategory: Bounced['bounceCategory'];
  /** The enhanced status code (RFC 3463); null without one. */
  status: string | null;
  /** The reply, or the diagnostic text of a report. */
  reason: string;
  /** Whether the server's words name a disabled mailbox, where its code does not. */
  mailboxDisabled: boolean;
  /** Whether the relay itself was unavailable or refused the session when the reply came. */
  relayUnavailable: boolean;
  retriesExhausted: boolean;
}

const refusedSender = /\((?:in (?:answer|reply) to MAIL FROM)\b[^)]*\)/i;
const rateLimit =
  /\brates?\b|rate-?limit|throttl|too (?:many|fast|frequent|quickly)|slow down|gr[ae]y-?list|(?:connection|message|session|sending|delivery) limit/i;
const senderQuota =
  /\b(?:sender|sending|outgoing|outbound|submission)\b[^.\n]{0,40}\b(?:quota|limit)|\b(?:quota|limit)\b[^.\n]{0,40}\b(?:sender|sending|outgoing|outbound|your (?:ip|host|server|domain))|\b(?:hourly|daily|monthly|per (?:hour|day|minute))\b[^.\n]{0,30}\b(?:quota|limit)|\b(?:quota|limit)\b[^.\n]{0,20}\bper (?:hour|day|minute)|\byou have (?:exceeded|reached)|\byour (?:\w+ ){0,2}(?:quota|limit)/i;
const aboutSending =
  /block ?list|black ?list|deny ?list|spamhaus|\bdnsb?l\b|\brbl\b|reputation|\bspam\b|unsolicited|\bspf\b|\bdkim\b|\bdmarc\b|authenticat|policy|reverse dns|\bptr\b|\b(?:helo|ehlo)\b|(?:sender|client host|your (?:ip|host|server|domain|message)) (?:address )?(?:rejected|refused|denied|blocked)|domain of sender/i;
/** No host took a connection for the recipient's domain, or its name servers gave no answer. */
const noHost =
  /connect(?:ion)?[^\n]{0,80}(?:timed? ?out|refused)|no route to host|(?:host|network|server) (?:is )?(?:unreachable|down|not reachable)|(?:could ?n[o']t|cannot|can't|failed to|unable to) (?:connect|establish|open a connection)|not (?:respond|answer)ing|no answer from (?:host|the host)|not found,? try again|(?:name service|dns|name ?server|lookup)[^.\n]{0,40}(?:error|fail|timed? ?out|tempor)|servfail/i;

const statusIs = (pattern: RegExp) => (facts: BounceFacts) => pattern.test(facts.status ?? '');
const categoryIs = (category: BounceFacts['bounceCategory']) => (facts: BounceFacts) =>
  facts.bounceCategory === category;
const says = (pattern: RegExp) => (facts: BounceFacts) => pattern.test(facts.reason);
const both =
  (...tests: ((facts: BounceFacts) => boolean)[]) =>
  (facts: BounceFacts) =>
    tests.every((test) => test(facts));
const either =
  (...tests: ((facts: BounceFacts) => boolean)[]) =>
  (facts: BounceFacts) =>
    tests.some((test) => test(facts));
const not = (test: (facts: BounceFacts) => boolean) => (facts: BounceFacts) => !test(facts);

const isFull = categoryIs('MAILBOX_FULL');
const isTransient = categoryIs('TRANSIENT');

/**
 * The table of bounce causes: the first row that applies decides. A hard bounce suppresses by itself and is therefore not
 * counted. Source: feature contract, section 14 point 1; codes by RFC 3463 section 3 and RFC 7372.
 * `docs/reference/suppression.md` prints it.
 */
export const bounceCauses: readonly (BounceDecision & { applies: (facts: BounceFacts) => boolean })[] = [
  { cause: 'DEAD_ADDRESS', counted: false, applies: ({ bounceType }) => bounceType === 'HARD' },
  { cause: 'SENDER_REFUSED', counted: false, applies: says(refusedSender) },
  { cause: 'RELAY_UNAVAILABLE', counted: false, applies: ({ relayUnavailable }) => relayUnavailable },
  { cause: 'POLICY', counted: false, applies: categoryIs('POLICY') },
  { cause: 'CONTENT', counted: false, applies: categoryIs('CONTENT') },
  { cause: 'BLOCKED', counted: false, applies: categoryIs('BLOCKED') },
  { cause: 'OTHER', counted: false, applies: not(either(isFull, isTransient)) },
  {
    cause: 'SENDER_QUOTA',
    counted: false,
    applies: either(says(senderQuota), both(isFull, statusIs(/^[45]\.(?:7\.|4\.5$)/))),
  },
  // "Too many messages" beside X.2.2 is a mailbox that holds too many.
  { cause: 'RATE_LIMIT', counted: false, applies: both(says(rateLimit), not(both(isFull, statusIs(/\.2\.2$/)))) },
  // X.3.1: the server's disk, not the mailbox.
  { cause: 'SYSTEM_FULL', counted: false, applies: both(isFull, statusIs(/\.3\.1$/)) },
  { cause: 'MAILBOX_FULL', counted: true, applies: isFull },
  {
    cause: 'MAILBOX_DISABLED',
    counted: true,
    applies: either(statusIs(/^[45]\.(?:2\.1|7\.13)$/), ({ mailboxDisabled }) => mailboxDisabled),
  },
  { cause: 'POLICY', counted: false, applies: says(aboutSending) },
  { cause: 'NOT_RETRIED', counted: false, applies: ({ retriesExhausted }) => !retriesExhausted },
  // X.1.7 and X.1.8 are about the sender's address, X.2.3 about the length of the message.
  { cause: 'UNREACHABLE', counted: true, applies: statusIs(/^[45]\.(?:1\.(?![78]$)|2\.(?!3$)|4\.[14]$)/) },
  { cause: 'UNREACHABLE', counted: true, applies: both(says(noHost), not(statusIs(/^[45]\.(?:1\.[78]|[2367]\.)/))) },
  { cause: 'TRANSIENT', counted: false, applies: () => true },
];

export function decideBounce(facts: BounceFacts): BounceDecision {
  const { cause, counted } = bounceCauses.find(({ applies }) => applies(facts))!;
  return { cause, counted };
}

/**
 * One without a decision comes of an older version, which knew neither the stage nor the state of the relay.
 * @param retriesExhausted what to assume there of the retry schedule
 */
export function decisionOf(
  { suppression, ...bounced }: Pick<Bounced, 'bounceType' | 'bounceCategory' | 'status' | 'reason' | 'suppression'>,
  { retriesExhausted }: Pick<BounceFacts, 'retriesExhausted'>,
): { cause: string; counted: boolean } {
  return suppression ?? decideBounce({ ...bounced, mailboxDisabled: false, relayUnavailable: false, retriesExhausted });
}
