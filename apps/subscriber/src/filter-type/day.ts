import { Temporal } from 'temporal-polyfill';

/** Centuries that every database and calendar agrees on. */
const knownYears = /^(19|2\d)\d\d-/;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** A day (YYYY-MM-DD) or an instant (ISO 8601 with offset), as the filters take them. */
export function isMoment(text: string): boolean {
  if (!knownYears.test(text)) return false;
  try {
    if (dayPattern.test(text)) return Temporal.PlainDate.from(text).toString() === text;
    return Boolean(Temporal.Instant.from(text));
  } catch {
    return false;
  }
}

/** Whether a moment is later than another; of a day and an instant only a zone could tell. */
export const isLater = (one: string, other: string): boolean =>
  dayPattern.test(one) === dayPattern.test(other) && reachOf(one, 'UTC').from > reachOf(other, 'UTC').from;

/**
 * The instants a moment reaches from and to: the whole day in the zone, or the instant itself.
 * @returns `from` inclusive and `to` exclusive, in whole milliseconds
 */
export function reachOf(text: string, zone: string): { from: Date; to: Date } {
  if (!dayPattern.test(text)) {
    const at = Temporal.Instant.from(text).epochMilliseconds;
    return { from: new Date(at), to: new Date(at + 1) };
  }
  const day = Temporal.PlainDate.from(text);
  const start = (date: Temporal.PlainDate) => new Date(date.toZonedDateTime(zone).epochMilliseconds);
  return { from: start(day), to: start(day.add({ days: 1 })) };
}

export const spanUnits = ['HOURS', 'DAYS', 'WEEKS', 'MONTHS'] as const;
export type SpanUnit = (typeof spanUnits)[number];

/** The instant that lies a span before another: hours are exact, longer units follow the calendar of the zone. */
export function before(now: Date, amount: number, unit: SpanUnit, zone: string): Date {
  const at = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  return new Date(at.subtract({ [unit.toLowerCase()]: amount }).epochMilliseconds);
}
