import { describe, expect, it } from '@jest/globals';
import { dayOf, nextTimeOfDay, waitOver, windowOpens } from './wait-time.js';

const paris = 'Europe/Paris';
const at = (text: string) => new Date(text);

describe('waitOver', () => {
  // Paris goes forward on 2026-03-29 at 02:00 (+01:00 to +02:00) and back on 2026-10-25 at 03:00.
  it.each([
    [
      'an hour is an hour over the change forward',
      { amount: 2, unit: 'HOURS' },
      '2026-03-29T00:30:00Z',
      '2026-03-29T02:30:00.000Z',
    ],
    [
      'a day keeps the hour of the wall clock, 23 hours on',
      { amount: 1, unit: 'DAYS' },
      '2026-03-28T08:00:00Z',
      '2026-03-29T07:00:00.000Z',
    ],
    [
      'a day keeps the hour, 25 hours on',
      { amount: 1, unit: 'DAYS' },
      '2026-10-24T07:00:00Z',
      '2026-10-25T08:00:00.000Z',
    ],
    ['a week keeps the hour', { amount: 1, unit: 'WEEKS' }, '2026-03-25T08:00:00Z', '2026-04-01T07:00:00.000Z'],
    ['seconds are seconds', { duration: 86_400 }, '2026-03-28T08:00:00Z', '2026-03-29T08:00:00.000Z'],
    [
      'a time that does not exist moves forward',
      { timeOfDay: '02:30' },
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'a time that comes twice means the first',
      { timeOfDay: '02:30' },
      '2026-10-24T12:00:00Z',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'a day into the hour that does not exist',
      { amount: 1, unit: 'DAYS' },
      '2026-03-28T01:30:00Z',
      '2026-03-29T01:30:00.000Z',
    ],
    ['the next nine o’clock today', { timeOfDay: '09:00' }, '2026-06-01T06:00:00Z', '2026-06-01T07:00:00.000Z'],
    ['at nine sharp it is tomorrow’s', { timeOfDay: '09:00' }, '2026-06-01T07:00:00Z', '2026-06-02T07:00:00.000Z'],
    ['the next Monday', { timeOfDay: '09:00', weekdays: [1] }, '2026-06-03T10:00:00Z', '2026-06-08T07:00:00.000Z'],
    [
      'the same weekday a week later',
      { timeOfDay: '09:00', weekdays: [3] },
      '2026-06-03T10:00:00Z',
      '2026-06-10T07:00:00.000Z',
    ],
    [
      'a zone of its own',
      { timeOfDay: '09:00', timezone: 'America/New_York' },
      '2026-06-01T07:00:00Z',
      '2026-06-01T13:00:00.000Z',
    ],
  ] satisfies [string, Parameters<typeof waitOver>[0], string, string][])('%s', (_what, config, now, over) => {
    expect(waitOver(config, { now: at(now), timezone: paris }, null)?.toISOString()).toBe(over);
  });

  it.each([
    ['2026-06-10', -3, '2026-06-07T08:00:00.000Z'],
    [' 2026-06-10 ', 0, '2026-06-10T08:00:00.000Z'],
    ['2026-06-10T23:30:00Z', 0, '2026-06-11T08:00:00.000Z'],
    ['2026-06-10T23:30', 0, '2026-06-10T08:00:00.000Z'],
    ['2026-06-10 00:30:15.5', 0, '2026-06-10T08:00:00.000Z'],
    ['2026-06-10T25:30', 0, undefined],
    ['9999-12-31', 7, '9999-12-31T23:59:59.999Z'],
    ['2026-02-30', 0, undefined],
    ['soon', 0, undefined],
    [null, 0, undefined],
  ])('a field that says %s, %s days off', (value, offsetDays, over) => {
    const wait = { fieldId: 'fld_x', offsetDays, timeOfDay: '10:00' };
    expect(waitOver(wait, { now: at('2026-06-01T00:00:00Z'), timezone: paris }, value)?.toISOString()).toBe(over);
  });
});

describe('windowOpens', () => {
  const office = { weekdays: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' };
  it.each([
    ['2026-06-01T07:00:00Z', undefined],
    ['2026-06-01T14:59:59Z', undefined],
    ['2026-06-01T06:59:59Z', '2026-06-01T07:00:00.000Z'],
    ['2026-06-01T15:00:00Z', '2026-06-02T07:00:00.000Z'],
    ['2026-06-05T15:00:00Z', '2026-06-08T07:00:00.000Z'],
    ['2026-06-06T10:00:00Z', '2026-06-08T07:00:00.000Z'],
  ])('at %s it opens at %s', (now, opens) => {
    expect(windowOpens(office, { now: at(now), timezone: paris })?.toISOString()).toBe(opens);
  });
});

it('computes calendar days', () => {
  expect(dayOf({ now: at('2026-06-01T23:00:00Z'), timezone: paris }, -1)).toBe('2026-06-01');
  expect(nextTimeOfDay('00:00', undefined, { now: at('2026-06-01T23:00:00Z'), timezone: paris }).toISOString()).toBe(
    '2026-06-02T22:00:00.000Z',
  );
});
