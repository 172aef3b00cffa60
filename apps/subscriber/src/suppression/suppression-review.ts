import { decisionOf } from '#contracts';
import type { EventData, SubscriberStatus } from '#contracts';
import { softBounces } from './suppression.js';

type Bounced = Pick<
  EventData<'message.bounced'>,
  'bounceType' | 'bounceCategory' | 'reason' | 'status' | 'suppression'
>;

export interface ReviewedEvent {
  type: string;
  at: Date;
  data: Record<string, unknown>;
}

/** A subscriber that is BOUNCED by soft bounces alone: the address has no hard bounce, complaint or ban. */
export interface SuppressedSubscriber {
  id: string;
  email: string;
  /** The status before the suppression; null of one that an older version suppressed. */
  statusBefore: SubscriberStatus | null;
  confirmationSent: boolean;
  /** In the order of time. */
  history: readonly ReviewedEvent[];
}

export type KeptReason = 'COUNTED' | 'HARD_BOUNCE' | 'COMPLAINT' | 'UNSUBSCRIPTION' | 'NO_HISTORY';

export type SuppressionReview =
  | { kept: KeptReason }
  /** The status it gets back, and how many soft bounces of each cause had suppressed it. */
  | { kept: null; status: SubscriberStatus; causes: Record<string, number> };

export interface ReviewPage {
  restored: { subscriberId: string; email: string; status: SubscriberStatus; causes: Record<string, number> }[];
  kept: Record<string, number>;
  next: string | null;
}

const dayMs = 86_400_000;
/** What came before one of these was forgiven, or judged already. */
const lifted = new Set<unknown>(['reactivation', 'review']);

/**
 * A suppression by soft bounces stays where the counted bounces suffice, where the history shows another reason, and
 * where too little of the history is left to decide.
 */
export function reviewSuppression({
  history,
  statusBefore,
  confirmationSent,
}: Omit<SuppressedSubscriber, 'id' | 'email'>): SuppressionReview {
  const choices = history.filter(({ type }) => type === 'SUBSCRIBED' || type === 'UNSUBSCRIBED');
  if (choices.at(-1)?.type === 'UNSUBSCRIBED') return { kept: 'UNSUBSCRIPTION' };
  const since = history.findLastIndex(({ type, data }) => type === 'SUBSCRIBED' && lifted.has(data.source));
  const recent = history.slice(since + 1);
  if (recent.some(({ type }) => type === 'EMAIL_COMPLAINED')) return { kept: 'COMPLAINT' };
  const bounces = recent
    .filter(({ type }) => type === 'EMAIL_BOUNCED')
    .map(({ at, data }) => ({ at: at.getTime(), data: data as unknown as Bounced }));
  if (bounces.some(({ data }) => data.bounceType === 'HARD')) return { kept: 'HARD_BOUNCE' };
  if (bounces.length < softBounces.sends) return { kept: 'NO_HISTORY' };
  // Older versions reported what passes only at the end of the schedule.
  const decided = bounces.map(({ at, data }) => ({
    at,
    ...decisionOf(data, { retriesExhausted: !data.status?.startsWith('5') }),
  }));
  const counted = decided.filter(({ counted: counts }) => counts);
  const suffice = counted.some(({ at }, i) => {
    const last = counted[i + softBounces.sends - 1];
    return last !== undefined && last.at - at <= softBounces.days * dayMs;
  });
  if (suffice) return { kept: 'COUNTED' };
  const status =
    statusBefore ?? (choices.length > 0 ? 'SUBSCRIBED' : confirmationSent ? 'PENDING_CONFIRMATION' : 'TRANSACTIONAL');
  const causes: Record<string, number> = {};
  for (const { cause } of decided) causes[cause] = (causes[cause] ?? 0) + 1;
  return { kept: null, status, causes };
}
