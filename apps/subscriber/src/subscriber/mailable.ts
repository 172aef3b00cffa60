import type { SubscriberStatus } from '#contracts';
import { suppressionOf } from './subscriber.js';

/** What a subscriber's row says of its suppressions; instants, and null where there is none. */
export interface SuppressionFacts {
  status: SubscriberStatus;
  statusAt: Date;
  bannedAt: Date | null;
  banReason: string | null;
  complainedAt: Date | null;
  hardBouncedAt: Date | null;
  /** Category of the bounce, or why soft bounces suppressed the address. */
  bounceReason: string | null;
}

type Suppression = NonNullable<ReturnType<typeof suppressionOf>>;

const whyNot: Record<Exclude<SubscriberStatus, 'SUBSCRIBED'>, string> = {
  BANNED: 'The address is banned. Only an operator can lift the ban.',
  COMPLAINED: 'The recipient reported a message as spam. reactivate_subscriber lifts this.',
  BOUNCED: 'Mail to the address bounced. reactivate_subscriber lifts this.',
  UNSUBSCRIBED: 'The subscriber has unsubscribed; only transactional mail is sent.',
  PENDING_CONFIRMATION: 'The subscription is not confirmed yet; only transactional mail is sent.',
  TRANSACTIONAL: 'The subscriber never subscribed; only transactional mail is sent.',
};

/** Every suppression of a subscriber with its instant and reason, the strongest first. */
export function suppressionsOf(
  facts: SuppressionFacts,
): { suppression: Suppression; since: Date; reason: string | null }[] {
  const at = (status: Suppression, since: Date | null) => since ?? (facts.status === status ? facts.statusAt : null);
  const all = [
    { suppression: 'BANNED' as const, since: at('BANNED', facts.bannedAt), reason: facts.banReason },
    { suppression: 'COMPLAINED' as const, since: at('COMPLAINED', facts.complainedAt), reason: null },
    { suppression: 'BOUNCED' as const, since: at('BOUNCED', facts.hardBouncedAt), reason: facts.bounceReason },
  ];
  return all.flatMap(({ since, ...rest }) => (since ? [{ ...rest, since }] : []));
}

export function mailableOf(facts: SuppressionFacts): {
  marketing: boolean;
  transactional: boolean;
  why: string | null;
} {
  const { status, bannedAt, complainedAt, hardBouncedAt } = facts;
  const marks = { banned: bannedAt !== null, complained: complainedAt !== null, hardBounced: hardBouncedAt !== null };
  const suppression = suppressionOf({ status, marks });
  if (suppression) return { marketing: false, transactional: false, why: whyNot[suppression] };
  if (status === 'SUBSCRIBED') return { marketing: true, transactional: true, why: null };
  return { marketing: false, transactional: true, why: whyNot[status] };
}
