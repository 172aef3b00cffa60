import { expect, it } from '@jest/globals';
import { seriesCounters } from '#contracts';
import type { SeriesCounts } from '#contracts';
import { carryBack, seriesOf } from './time-series.js';

const zeros = Object.fromEntries(seriesCounters.map((name) => [name, 0])) as unknown as SeriesCounts;
const at = (hour: string, change: Partial<SeriesCounts>) => ({ ...zeros, hour: Date.parse(hour), ...change });
const range = (interval: 'HOUR' | 'DAY', from: string, to: string, timezone = 'UTC') => ({
  interval,
  from: new Date(from),
  to: new Date(to),
  timezone,
});

it('has zeros for hours without numbers', () => {
  const hours = [at('2026-05-01T10:00:00Z', { sent: 2 }), at('2026-05-01T12:00:00Z', { sent: 1 })];
  const points = seriesOf(hours, range('HOUR', '2026-05-01T10:30:00Z', '2026-05-01T12:30:00Z'));
  expect(points.map(({ at: when, sent }) => [when, sent])).toEqual([
    ['2026-05-01T10:00:00.000Z', 2],
    ['2026-05-01T11:00:00.000Z', 0],
    ['2026-05-01T12:00:00.000Z', 1],
  ]);
});

it('begins days at midnight of the time zone, also where the clocks change', () => {
  const hours = [
    at('2026-03-28T22:00:00Z', { sent: 1 }),
    at('2026-03-29T21:00:00Z', { sent: 2 }),
    at('2026-03-29T22:00:00Z', { sent: 4 }),
  ];
  const points = seriesOf(hours, range('DAY', '2026-03-28T23:30:00Z', '2026-03-30T20:00:00Z', 'Europe/Paris'));
  expect(points.map(({ at: when, sent }) => [when, sent])).toEqual([
    ['2026-03-28T23:00:00.000Z', 2],
    ['2026-03-29T22:00:00.000Z', 4],
  ]);
});

it('counts an hour in the day in which it begins, where a zone differs by half hours', () => {
  const hours = [at('2026-05-01T18:00:00Z', { sent: 1 }), at('2026-05-01T19:00:00Z', { sent: 2 })];
  const points = seriesOf(hours, range('DAY', '2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z', 'Asia/Kolkata'));
  expect(points.map(({ at: when, sent }) => [when, sent])).toEqual([
    ['2026-04-30T18:30:00.000Z', 1],
    ['2026-05-01T18:30:00.000Z', 2],
  ]);
});

it('takes withdrawn numbers from the hours before', () => {
  const hours = [
    at('2026-05-01T10:00:00Z', { delivered: 3, bounced: 1 }),
    at('2026-05-01T11:00:00Z', { delivered: 1 }),
    at('2026-05-01T12:00:00Z', { delivered: -2, bounced: -4 }),
  ];
  expect(carryBack(hours).map(({ delivered, bounced }) => [delivered, bounced])).toEqual([
    [2, 0],
    [0, 0],
    [0, 0],
  ]);
});

it('refuses more than 1,000 points with RANGE_TOO_LONG, and a range that ends before it begins', () => {
  const whole = range('HOUR', '2026-05-01T00:00:00Z', '2026-06-11T16:00:00Z');
  expect(seriesOf([], whole)).toHaveLength(1_000);
  const longer = { ...whole, to: new Date('2026-06-11T17:00:00Z') };
  expect(() => seriesOf([], longer)).toThrow(expect.objectContaining({ reason: 'RANGE_TOO_LONG' }));
  const reversed = { ...whole, to: new Date('2026-04-01T00:00:00Z') };
  expect(() => seriesOf([], reversed)).toThrow(expect.objectContaining({ reason: 'PARAMETERS_INVALID' }));
});
