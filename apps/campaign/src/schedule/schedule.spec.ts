import { describe, expect, it } from '@jest/globals';
import { ToolError } from '#tool-call';
import { localTime, scheduledInstant } from './schedule.js';
import type { ScheduleWish } from './schedule.js';

const longAgo = new Date('1900-01-01T00:00:00Z');
const instant = (wish: Omit<ScheduleWish, 'timezone'> & { timezone?: string }, now = longAgo) =>
  scheduledInstant({ timezone: 'Europe/Paris', ...wish }, now)?.toISOString() ?? null;

function refusalOf(wish: Omit<ScheduleWish, 'timezone'> & { timezone?: string }, now = longAgo) {
  try {
    instant(wish, now);
  } catch (error) {
    return error instanceof ToolError ? { reason: error.reason, path: error.issues?.[0]?.path } : error;
  }
  return 'accepted';
}

describe('the instant a schedule means', () => {
  it('is now without a date', () => {
    expect(instant({})).toBeNull();
  });

  it.each([
    // Ordinary days
    ['2037-05-01', undefined, undefined, 'Europe/Paris', '2037-04-30T22:00:00.000Z'],
    ['2037-05-01', 9, undefined, 'Europe/Paris', '2037-05-01T07:00:00.000Z'],
    ['2037-01-01', 0, 0, 'Europe/Paris', '2036-12-31T23:00:00.000Z'],
    ['2037-05-01', 23, 59, 'America/New_York', '2037-05-02T03:59:00.000Z'],
    ['2036-02-29', 12, 0, 'Asia/Kathmandu', '2036-02-29T06:15:00.000Z'],
    ['2037-05-01', 9, 0, 'UTC', '2037-05-01T09:00:00.000Z'],
    // Left out by the clock: forward by what is left out
    ['2026-03-29', 2, 30, 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29', 2, 0, 'Europe/Paris', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29', 3, 0, 'Europe/Paris', '2026-03-29T01:00:00.000Z'],
    ['2026-03-08', 2, 30, 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-10-04', 2, 15, 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
    ['2026-04-24', 0, 30, 'Africa/Cairo', '2026-04-23T22:30:00.000Z'],
    ['2026-09-06', 0, 30, 'America/Santiago', '2026-09-06T04:30:00.000Z'],
    ['2011-12-30', 9, 0, 'Pacific/Apia', '2011-12-30T19:00:00.000Z'],
    // Twice on the clock: the first
    ['2026-10-25', 2, 30, 'Europe/Paris', '2026-10-25T00:30:00.000Z'],
    ['2026-11-01', 1, 30, 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['2026-04-05', 1, 45, 'Australia/Lord_Howe', '2026-04-04T14:45:00.000Z'],
    ['2026-10-29', 23, 30, 'Africa/Cairo', '2026-10-29T20:30:00.000Z'],
    ['2026-04-04', 23, 30, 'America/Santiago', '2026-04-05T02:30:00.000Z'],
    // Days without a midnight begin at their first instant
    ['2026-04-24', undefined, undefined, 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-09-06', undefined, undefined, 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['1919-03-31', undefined, undefined, 'America/Toronto', '1919-03-31T04:30:00.000Z'],
    ['2011-12-30', undefined, undefined, 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    // A midnight that comes twice
    ['2026-11-01', undefined, undefined, 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ])('%s %s:%s in %s is %s', (date, hours, minutes, timezone, expected) => {
    expect(instant({ date, hours, minutes, timezone })).toBe(expected);
  });

  it.each([
    ['2037-05-01T09:00:00+02:00', '2037-05-01T07:00:00.000Z'],
    ['2037-05-01T09:00Z', '2037-05-01T09:00:00.000Z'],
    ['2037-05-01T09:00:00.125-0330', '2037-05-01T12:30:00.125Z'],
  ])('%s is an instant of its own, whatever the time zone', (date, expected) => {
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
  ])('%j is refused with SCHEDULE_PARAMETERS at %s', (wish, parameter) => {
    expect(refusalOf(wish)).toEqual({ reason: 'SCHEDULE_PARAMETERS', path: [parameter] });
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
