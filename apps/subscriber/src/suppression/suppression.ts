import { ToolError } from '#tool-call';
import { suppressionOf } from '../subscriber/subscriber.js';
import type { SubscriberState } from '../subscriber/subscriber.js';

/** Counted soft bounces on this many sends within this many days make an address BOUNCED (API text, Events). */
export const softBounces = { sends: 5, days: 30 };

/** The bounce that suppressed an address; null for values that were not recorded. */
export interface LastBounce {
  category: string | null;
  reason: string | null;
}

/** No mail will ever arrive there (API text, Subscriber states). */
const finalCategories = new Set(['NO_SUCH_USER', 'INTERNAL']);
/** Providers say in words that they do not even try. */
const onProviderList = /suppress/i;

/**
 * Only BOUNCED, COMPLAINED and UNSUBSCRIBED subscribers are reactivated; an address that bounced permanently needs
 * force.
 * @returns false when there is nothing to do
 */
export function needsReactivation(
  current: Pick<SubscriberState, 'status' | 'marks'>,
  bounce: LastBounce,
  force: boolean,
): boolean {
  const { status, marks } = current;
  if (suppressionOf(current) === 'BANNED') throw new ToolError('SUBSCRIBER_BANNED', {});
  if (status === 'PENDING_CONFIRMATION' || status === 'TRANSACTIONAL') {
    throw new ToolError('SUBSCRIBER_NOT_SUPPRESSED', { status });
  }
  const category = finalCategory(marks.hardBounced, bounce);
  if (category !== null && !force) throw new ToolError('SUBSCRIBER_HARD_BOUNCED', { category });
  return status !== 'SUBSCRIBED' || suppressionOf(current) !== null;
}

/** Why the address refuses mail permanently; null when it may accept some. */
function finalCategory(hardBounced: boolean, { category, reason }: LastBounce): string | null {
  if (category !== null && finalCategories.has(category)) return category;
  if (reason !== null && category !== null && onProviderList.test(reason)) return 'on a suppression list';
  // Marked before its subscriber was deleted: the category is gone, the mark is not.
  return hardBounced && category === null ? 'hard bounce' : null;
}
