/** Whether the address is dead (HARD) or the message did not get through this time (SOFT), and why. */
export interface BounceClass {
  bounceType: 'HARD' | 'SOFT';
  bounceCategory:
    | 'NO_SUCH_USER'
    | 'INTERNAL'
    | 'MAILBOX_FULL'
    | 'BLOCKED'
    | 'CONTENT'
    | 'POLICY'
    | 'TRANSIENT'
    | 'OTHER';
}

export interface Wording {
  category: BounceClass['bounceCategory'];
  hard: boolean;
  words: RegExp;
  /** The mailbox exists and takes no mail for now: it is closed, suspended or unused. */
  disabled?: true;
  /** Occurs in refusals of any kind: it decides only where nothing else does, and contradicts no code. */
  weak?: true;
}

/** One pattern of several, one a language; case does not matter. */
export const anyOf = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'), 'i');
