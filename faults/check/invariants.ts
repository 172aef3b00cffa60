import type { SessionEvent } from '../sink/session-journal.js';

export interface Progress {
  status: string;
  total: number;
  sent: number;
  failed: number;
  bounced: number;
  inDoubt: number;
  pending: number;
  skipped: Record<string, number>;
}

/** A recipient whom the system lists as not surely sent to. */
export interface Unsent {
  state: string;
  reason: string | null;
}

/** Everything that is known of a campaign when it is over. */
export interface Evidence {
  recipients: readonly string[];
  /** What the sink wrote down while it ran. */
  events: readonly SessionEvent[];
  unsent: ReadonlyMap<string, Unsent>;
  progress: Progress;
  /** As many messages as could be marked at the strike: the connections, each for the messages of its window. */
  doubtMax: number;
}

export interface InvariantCheck {
  accepted: number;
  duplicates: number;
  inDoubt: number;
  failed: number;
  lost: number;
  breaches: string[];
}

/** Holds what the system says against what the sink wrote down. */
export function judge({ recipients, events, unsent, progress, doubtMax }: Evidence): InvariantCheck {
  const named = (name: string, detail = '') =>
    new Set(events.filter((one) => one.name === name && one.detail.startsWith(detail)).map(({ to }) => to));
  const taken = new Map<string, number>();
  for (const { name, to } of events) if (name === 'TAKEN') taken.set(to!, (taken.get(to!) ?? 0) + 1);
  const refused = named('REFUSED', '5');
  const hung = named('HUNG');
  const unmarked = [...named('UNMARKED')].map(String);
  const inState = (email: string, state: string) => unsent.get(email)?.state === state;
  const twice = recipients.filter((email) => (taken.get(email) ?? 0) > 1);
  const lost = recipients.filter((email) => !taken.has(email) && !unsent.has(email));
  const skipped = Object.values(progress.skipped).reduce((sum, n) => sum + n, 0);
  const accounted = progress.sent + progress.failed + skipped + progress.inDoubt + progress.pending;
  const surely = recipients.filter((email) => !unsent.has(email)).length;
  const rules: [broken: unknown, breach: string][] = [
    [progress.status !== 'SENT', `the campaign is ${progress.status}`],
    [twice.length > 0, `accepted more than once: ${some(twice)}`],
    [lost.length > 0, `lost without a trace: ${some(lost)}`],
    [unmarked.length > 0, `I1: DATA came before the mark was committed: ${some(unmarked)}`],
    [progress.inDoubt > doubtMax, `${progress.inDoubt} in doubt, where ${doubtMax} may be`],
    [accounted !== progress.total || progress.total !== recipients.length, `the progress does not sum up`],
    [progress.sent !== surely, `${progress.sent} are counted as sent, ${surely} are listed nowhere else`],
    ...recipients.flatMap((email): [unknown, string][] => [
      [
        inState(email, 'FAILED') !== refused.has(email),
        `${email} is ${unsent.get(email)?.state}, against the relay's word`,
      ],
      [hung.has(email) && !inState(email, 'IN_DOUBT'), `${email} hung and is not listed as in doubt`],
      [inState(email, 'SKIPPED') && !unsent.get(email)!.reason, `${email} was skipped without a reason`],
      [
        unsent.has(email) && !['IN_DOUBT', 'SKIPPED', 'FAILED'].includes(unsent.get(email)!.state),
        `${email} is still under way`,
      ],
      [taken.has(email) && inState(email, 'SKIPPED'), `${email} was skipped and got the message`],
    ]),
  ];
  return {
    accepted: taken.size,
    duplicates: [...taken.values()].reduce((sum, n) => sum + n - 1, 0),
    inDoubt: progress.inDoubt,
    failed: progress.failed,
    lost: lost.length,
    breaches: shortened(rules.filter(([broken]) => broken).map(([, violation]) => violation)),
  };
}

const some = (emails: readonly string[]): string => `${emails.length} (${emails[0]}${emails.length > 1 ? ', …' : ''})`;

const breachesMax = 10;
const shortened = (violations: string[]): string[] =>
  violations.length > breachesMax
    ? [...violations.slice(0, breachesMax), `and ${violations.length - breachesMax} more`]
    : violations;
