import { Temporal } from 'temporal-polyfill';
import { timezoneNamed, ToolError } from '#tool-call';

export interface ScheduleRequest {
  date?: string | undefined;
  hours?: number | undefined;
  minutes?: number | undefined;
  timezone: string;
}

const day = /^\d{4}-\d{2}-\d{2}$/;
const instantWithOffset = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}(:?\d{2})?)$/;

/**
 * Returns the requested instant; null is now. A date is a day of the time zone: with hours, that wall-clock time;
 * without, the day's first existing instant. A wall-clock time that a clock change skips moves forward by the skipped
 * span (02:30 becomes 03:30); one that occurs twice means the first.
 */
export function scheduledInstant(request: ScheduleRequest, now: Date): Date | null {
  // Called for its refusal only: the name is stored as given.
  timezoneNamed(request.timezone);
  const { date, hours, minutes } = request;
  if (hours === undefined && minutes !== undefined) throw refusal('minutes', 'minutes needs hours');
  if (date === undefined && hours !== undefined)
    throw refusal('hours', 'hours needs a date; without one the campaign is sent now');
  if (date === undefined) return null;
  const at = day.test(date) ? onDay(request, date) : atInstant(request, date);
  if (at.getTime() < now.getTime())
    throw new ToolError('SCHEDULE_IN_THE_PAST', { at: localTime(at, request.timezone) });
  return at;
}

/** Formats an instant in a time zone: `2037-05-01 at 09:00 (Europe/Paris)`. */
export function localTime(at: Date, timezone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
  return `${local.toPlainDate().toString()} at ${local.toPlainTime().toString().slice(0, 5)} (${timezone})`;
}

function onDay({ hours, minutes = 0, timezone }: ScheduleRequest, date: string): Date {
  const local = asDate(() => Temporal.PlainDate.from(date), 'date is not a day of the calendar');
  const zoned =
    hours === undefined
      ? local.toZonedDateTime(timezone)
      : local
          .toPlainDateTime({ hour: hours, minute: minutes })
          .toZonedDateTime(timezone, { disambiguation: 'compatible' });
  return new Date(zoned.epochMilliseconds);
}

function atInstant({ hours }: ScheduleRequest, date: string): Date {
  if (!instantWithOffset.test(date)) {
    throw refusal(
      'date',
      'date must be YYYY-MM-DD, or a full instant with its offset such as 2037-05-01T09:00:00+02:00',
    );
  }
  if (hours !== undefined) throw refusal('hours', 'a date with a time takes neither hours nor minutes');
  const instant = asDate(() => Temporal.Instant.from(date), 'date is not a time of the calendar');
  return new Date(instant.epochMilliseconds);
}

function asDate<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RangeError) throw refusal('date', problem);
    throw cause;
  }
}

const refusal = (parameter: string, problem: string) =>
  new ToolError(
    'SCHEDULE_PARAMETERS',
    { summary: `${problem[0]!.toUpperCase()}${problem.slice(1)}.` },
    { issues: [{ path: [parameter], message: problem }] },
  );
