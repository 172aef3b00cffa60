import type { Growth } from '#contracts';
import { Temporal } from 'temporal-polyfill';

export interface Day extends Growth {
  date: string;
}

/** The last days of a zone, oldest first, ending with the one that `now` falls on. */
export function lastDays(now: Date, count: number, zone: string): string[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate();
  return Array.from({ length: count }, (_, at) => today.subtract({ days: count - 1 - at }).toString());
}

export function growthOf(
  dates: readonly string[],
  counts: readonly { date: string; subscribed: number; unsubscribed: number }[],
): Day[] {
  const known = new Map(counts.map((count) => [count.date, count]));
  return dates.map((date) => {
    const { subscribed, unsubscribed } = known.get(date) ?? { subscribed: 0, unsubscribed: 0 };
    return { date, subscribed, unsubscribed, net: subscribed - unsubscribed };
  });
}

export const growthIn = (days: readonly Growth[]): Growth =>
  days.reduce(
    (sum, day) => ({
      subscribed: sum.subscribed + day.subscribed,
      unsubscribed: sum.unsubscribed + day.unsubscribed,
      net: sum.net + day.net,
    }),
    { subscribed: 0, unsubscribed: 0, net: 0 },
  );
