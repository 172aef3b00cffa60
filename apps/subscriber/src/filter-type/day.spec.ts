import { describe, expect, it } from '@jest/globals';
import { before, isMoment, reachOf } from './day.js';

describe('moments of filters', () => {
  it.each(['2024-02-29', '2999-12-31', '2024-05-01T10:00Z', '2024-05-01T10:00:00.123+02:00'])('%s is one', (text) => {
    expect(isMoment(text)).toBe(true);
  });

  it.each(['2023-02-29', '2024-5-1', '1899-12-31', '2024-05-01T10:00', 'yesterday', '', '2024-05-01T25:00Z'])(
    '%j is none',
    (text) => {
      expect(isMoment(text)).toBe(false);
    },
  );

  it('reach over the whole day of the zone, also over one of 23 or 25 hours', () => {
    const hours = (day: string) => {
      const { from, to } = reachOf(day, 'Europe/Paris');
      return [from.toISOString(), (to.getTime() - from.getTime()) / 3_600_000];
    };
    expect(hours('2024-03-30')).toEqual(['2024-03-29T23:00:00.000Z', 24]);
    expect(hours('2024-03-31')).toEqual(['2024-03-30T23:00:00.000Z', 23]);
    expect(hours('2024-10-27')).toEqual(['2024-10-26T22:00:00.000Z', 25]);
  });

  it('reach over one millisecond where they are instants', () => {
    const { from, to } = reachOf('2024-05-01T12:00:00+02:00', 'America/New_York');
    expect([from.toISOString(), to.toISOString()]).toEqual(['2024-05-01T10:00:00.000Z', '2024-05-01T10:00:00.001Z']);
  });

  it('lie before others by exact hours, and by the calendar for longer units', () => {
    const now = new Date('2024-03-31T12:00:00.000Z');
    const at = (amount: number, unit: 'HOURS' | 'DAYS' | 'WEEKS' | 'MONTHS') =>
      before(now, amount, unit, 'Europe/Paris').toISOString();
    expect(at(24, 'HOURS')).toBe('2024-03-30T12:00:00.000Z');
    expect(at(1, 'DAYS')).toBe('2024-03-30T13:00:00.000Z');
    expect(at(1, 'WEEKS')).toBe('2024-03-24T13:00:00.000Z');
    expect(at(1, 'MONTHS')).toBe('2024-02-29T13:00:00.000Z');
  });
});
