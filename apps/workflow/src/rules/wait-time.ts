import { Temporal } from 'temporal-polyfill';
import type { Step } from './graph/graph.js';
import { addDays, atTime, localDay, weekdayOf } from './local-time.js';

type WaitConfig = Extract<Step, { type: 'WAIT' }>['config'];

interface Moment {
  now: Date;
  /** IANA name. */
  timezone: string;
}

/** Days looked ahead for a weekday: one week holds all of them. */
const week = 7;

/** The last instant of a four-digit year, which is the latest that a timer can hold. */
const latest = new Date('9999-12-31T23:59:59.999Z');

/**
 * Returns the end of a wait. Seconds, minutes and hours are elapsed time; days and weeks keep the wall-clock hour. A
 * time of day that a clock change skips moves forward by the skipped span; one that occurs twice means the first.
 * @param fieldValue the subscriber's date, for a wait that names a field
 * @returns null when there is no date to wait for
 */
export function waitOver(config: WaitConfig, moment: Moment, fieldValue: string | null): Date | null {
  const timezone = config.timezone ?? moment.timezone;
  const { now } = moment;
  if (config.duration !== undefined) return new Date(now.getTime() + config.duration * 1000);
  if (config.fieldId !== undefined) return onFieldDay(config, timezone, fieldValue);
  if (config.timeOfDay !== undefined) return nextTimeOfDay(config.timeOfDay, config.weekdays, { now, timezone });
  const { amount = 0, unit } = config;
  if (unit === 'DAYS') return new Date(addDays(now.getTime(), amount, timezone));
  if (unit === 'WEEKS') return new Date(addDays(now.getTime(), amount * week, timezone));
  return new Date(now.getTime() + amount * (unit === 'HOURS' ? 3_600_000 : 60_000));
}

/** Returns the next instant with this time of day, later than now, on one of the weekdays (1 = Monday; absent: any). */
export function nextTimeOfDay(time: string, weekdays: readonly number[] | undefined, moment: Moment): Date {
  const { now, timezone } = moment;
  const today = localDay(now.getTime(), timezone);
  for (let day = today; day <= today + week; day++) {
    if (weekdays && !weekdays.includes(weekdayOf(day))) continue;
    const at = atTime(day, time, timezone);
    if (at > now.getTime()) return new Date(at);
  }
  return new Date(atTime(today + week, time, timezone));
}

export interface SendWindow {
  weekdays: readonly number[];
  from: string;
  to: string;
}

/** Returns when mail may be sent: null for now, else the next opening of the window. */
export function windowOpens({ weekdays, from, to }: SendWindow, moment: Moment): Date | null {
  const now = moment.now.getTime();
  const today = localDay(now, moment.timezone);
  const opened = atTime(today, from, moment.timezone) <= now;
  const closed = atTime(today, to, moment.timezone) <= now;
  if (opened && !closed && weekdays.includes(weekdayOf(today))) return null;
  return nextTimeOfDay(from, weekdays, moment);
}

/** Returns the day of an instant in the organization's time zone, moved by some days: `YYYY-MM-DD`. */
export const dayOf = (moment: Moment, offsetDays = 0): string =>
  zoned(moment).toPlainDate().add({ days: offsetDays }).toString();

/** Returns the instant of a day in a field's text, moved by some days; null when the text holds no date. */
export function onFieldDay(
  { offsetDays = 0, timeOfDay = '00:00' }: Pick<WaitConfig, 'offsetDays' | 'timeOfDay'>,
  timezone: string,
  value: string | null,
): Date | null {
  const day = value === null ? null : dateIn(value.trim(), timezone);
  const at = day && dayAt(day.add({ days: offsetDays }), timeOfDay, timezone);
  return at && at.getTime() > latest.getTime() ? latest : at;
}

/**
 * Returns the day of a field's text, for texts that filters read as a date: as written, or an instant's in the time
 * zone.
 */
function dateIn(text: string, timezone: string): Temporal.PlainDate | null {
  try {
    const local = /^(\d{4}-\d{2}-\d{2})([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?)?$/.exec(text);
    if (local) return Temporal.PlainDate.from(local[1]!, { overflow: 'reject' });
    if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text))
      return Temporal.Instant.from(text.replace(' ', 'T')).toZonedDateTimeISO(timezone).toPlainDate();
  } catch {
    // Text that only looks like a date.
  }
  return null;
}

const zoned = ({ now, timezone }: Moment) =>
  Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone);
const dayAt = (day: Temporal.PlainDate, time: string, timezone: string): Date =>
  new Date(
    day.toPlainDateTime(Temporal.PlainTime.from(time)).toZonedDateTime(timezone, { disambiguation: 'compatible' })
      .epochMilliseconds,
  );
