import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ToolError } from '#tool-call';
import { localTime, scheduledInstant } from './schedule.js';
import type { ScheduleRequest } from './schedule.js';

const longAgo = new Date('1900-01-01T00:00:00Z');
const instant = (request: Omit<ScheduleRequest, 'timezone'> & { timezone?: string }, now = longAgo) =>
  scheduledInstant({ timezone: 'Europe/Paris', ...request }, now)?.toISOString() ?? null;

function refusalOf(request: Omit<ScheduleRequest, 'timezone'> & { timezone?: string }, now = longAgo) {
  try {
    instant(request, now);
  } catch (error) {
    return error instanceof ToolError ? { reason: error.reason, path: error.issues?.[0]?.path } : error;
  }
  return 'accepted';
}

/** The rows of the tables in the documentation: date, time (empty for the day alone), time zone, instant. */
const documented = readFileSync('docs/reference/scheduling.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| \d{4}-/.test(line))
  .map(
    (line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, 5) as [string, string, string, string],
  );

describe('the instant a schedule means', () => {
  it('is now without a date', () => {
    expect(instant({})).toBeNull();
  });

  it('is written down for every kind of change of the clock', () =>
    expect(documented.length).toBeGreaterThanOrEqual(24));

  it.each(documented)('on %s at "%s" in %s is %s', (date, time, timezone, expected) => {
    const [hours, minutes] = time === '' ? [] : time.split(':').map(Number);
    expect(instant({ date, hours, minutes, timezone })).toBe(expected);
  });

  it.each([
    ['2037-05-01T09:00:00+02:00', '2037-05-01T07:00:00.000Z'],
    ['2037-05-01T09:00Z', '2037-05-01T09:00:00.000Z'],
    ['2037-05-01T09:00:00.125-0330', '2037-05-01T12:30:00.125Z'],
  ])('%s is an instant of its own in every time zone', (date, expected) => {
    expect(instant({ date, timezone: 'Asia/Tokyo' })).toBe(expected);
  });

  it.each([
    [{ hours: 9 }, 'hours'],
    [{ hours: 9, minutes: 30 }, 'hours'],
    [{ minutes: 30 }, 'minutes'],
    [{ date: '2037-05-01', minutes: 30 }, 'minutes'],
    [{ date: '2037-05-01T09:00:00Z', hours: 9 }, 'hours'],
    [{ date: '2037-05-01T09:00:00Z', minutes: 9 }, 'minutes'],
    [{ date: '2037-05-01T09:00:00' }, 'date'],
    [{ date: '2037-05-01T25:00:00Z' }, 'date'],
    [{ date: '2037-05-01T09:00:00Z[Europe/Paris]' }, 'date'],
    [{ date: '2037-02-29' }, 'date'],
    [{ date: '2037-13-01' }, 'date'],
    [{ date: '01/05/2037' }, 'date'],
    [{ date: 'tomorrow' }, 'date'],
    [{ date: '+012037-05-01' }, 'date'],
    [{ date: '' }, 'date'],
  ])('%j is refused with SCHEDULE_PARAMETERS at %s', (request, parameter) => {
    expect(refusalOf(request)).toEqual({ reason: 'SCHEDULE_PARAMETERS', path: [parameter] });
  });

  it.each(['Mars/Olympus', '+02:00', '', '2', 'Europe/Paris '])('the time zone "%s" is unknown', (timezone) => {
    expect(refusalOf({ date: '2037-05-01', timezone })).toMatchObject({ reason: 'TIMEZONE_UNKNOWN' });
    expect(refusalOf({ timezone })).toMatchObject({ reason: 'TIMEZONE_UNKNOWN' });
  });

  it('is refused when it is past, to the millisecond', () => {
    const now = new Date('2026-06-01T10:00:00.001Z');
    expect(refusalOf({ date: '2026-06-01T10:00:00.000Z' }, now)).toMatchObject({ reason: 'SCHEDULE_IN_THE_PAST' });
    expect(refusalOf({ date: '2026-06-01' }, now)).toMatchObject({ reason: 'SCHEDULE_IN_THE_PAST' });
    expect(instant({ date: '2026-06-01T10:00:00.001Z' }, now)).toBe('2026-06-01T10:00:00.001Z');
  });

  it('reads back as the time zone’s people say it', () => {
    expect(localTime(new Date('2037-05-01T07:00:00Z'), 'Europe/Paris')).toBe('2037-05-01 at 09:00 (Europe/Paris)');
  });
});
