import { describe, expect, it } from '@jest/globals';
import { addMonths, byDay, dayAfterKey, rangeOf, weeksOf } from './calendar-month.js';

const scheduled = (scheduledAt: string) => ({ status: 'SCHEDULED', scheduledAt, startedAt: null });

describe('the weeks of a month', () => {
  it.each([
    ['2026-02', '2026-01-26', '2026-03-01', 5],
    ['2027-02', '2027-02-01', '2027-02-28', 4],
    ['2026-11', '2026-10-26', '2026-12-06', 6],
    ['2024-12', '2024-11-25', '2025-01-05', 6],
  ])('of %s begin on Monday %s and end on Sunday %s', (month, first, last, count) => {
    const weeks = weeksOf(month);
    expect(weeks).toHaveLength(count);
    expect(weeks.every((week) => week.length === 7)).toBe(true);
    expect([weeks[0]![0], weeks.at(-1)!.at(-1)]).toEqual([first, last]);
    expect(new Set(weeks.flat()).size).toBe(count * 7);
  });

  it('cover instants of the zone, also over a change of its clock', () => {
    // 2026-10-25 has 25 hours in Paris, 2026-03-29 has 23.
    expect(rangeOf('2026-10', 'Europe/Paris')).toEqual({
      from: new Date('2026-09-27T22:00:00Z'),
      to: new Date('2026-11-01T23:00:00Z'),
    });
    expect(rangeOf('2026-03', 'Europe/Paris')).toEqual({
      from: new Date('2026-02-22T23:00:00Z'),
      to: new Date('2026-04-05T22:00:00Z'),
    });
  });
});

describe('campaigns by day', () => {
  it('stand on the day of the zone, not on that of UTC', () => {
    const late = scheduled('2026-11-24T23:30:00Z');
    expect([...byDay([late], 'Europe/Paris').keys()]).toEqual(['2026-11-25']);
    expect([...byDay([late], 'America/New_York').keys()]).toEqual(['2026-11-24']);
  });

  it('stay on the day on which the clock changes, with its 23 or 25 hours', () => {
    const of = (...instants: string[]) => [...byDay(instants.map(scheduled), 'Europe/Paris').keys()];
    expect(of('2026-10-24T22:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T22:59:00Z')).toEqual(['2026-10-25']);
    expect(of('2026-03-28T23:00:00Z', '2026-03-29T21:59:00Z')).toEqual(['2026-03-29']);
    expect(of('2026-10-25T23:00:00Z', '2026-03-29T22:00:00Z')).toEqual(['2026-03-30', '2026-10-26']);
  });

  it('come in the order of their start; a sent one by its start, a failed one that never started by its plan', () => {
    const sent = { status: 'SENT', scheduledAt: '2026-11-01T08:00:00Z', startedAt: '2026-11-03T10:00:00Z' };
    const failed = { status: 'FAILED', scheduledAt: '2026-11-03T09:00:00Z', startedAt: null };
    const draft = { status: 'DRAFT', scheduledAt: null, startedAt: null };
    expect([...byDay([sent, draft, failed], 'UTC')]).toEqual([['2026-11-03', [failed, sent]]]);
  });
});

describe('keys in the calendar', () => {
  it.each([
    ['ArrowLeft', '2026-10-31'],
    ['ArrowDown', '2026-11-08'],
    ['Home', '2026-10-26'],
    ['End', '2026-11-01'],
    ['PageUp', '2026-10-01'],
    ['PageDown', '2026-12-01'],
    ['a', null],
  ])('lead by %s from Sunday, 1 November, to %s', (key, day) => expect(dayAfterKey('2026-11-01', key)).toBe(day));

  it('lead to the last day of a shorter month', () => {
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
    expect(addMonths('2026-12-31', 2)).toBe('2027-02-28');
  });
});
