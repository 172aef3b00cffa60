import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { addDays, atTime, localDay, weekdayOf } from './local-time.js';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'Asia/Gaza',
];
const zone = fc.constantFrom(...zones);
const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) });
const zoned = (at: number, timezone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
/** Instants close to where clocks change, which random ones would hardly meet. */
const nearChange = fc
  .tuple(instant, zone, fc.integer({ min: -4 * 3_600_000, max: 4 * 3_600_000 }))
  .map(([at, timezone, by]) => {
    const change = zoned(at, timezone).getTimeZoneTransition('next');
    return { at: (change?.epochMilliseconds ?? at) + by, timezone };
  });
const places = fc.oneof(nearChange, fc.record({ at: instant, timezone: zone }));

describe('local times', () => {
  it('are those of Temporal, also near changes of clocks', () => {
    fc.assert(
      fc.property(places, fc.integer({ min: 0, max: 400 }), ({ at, timezone }, days) => {
        const local = zoned(at, timezone);
        const day = localDay(at, timezone);
        expect(day).toBe(local.toPlainDate().since('1970-01-01').days);
        expect(weekdayOf(day)).toBe(local.dayOfWeek);
        expect(addDays(at, days, timezone)).toBe(local.add({ days }).epochMilliseconds);
        // From a place days before, the result is near the change.
        const before = local.subtract({ days });
        expect(addDays(before.epochMilliseconds, days, timezone)).toBe(before.add({ days }).epochMilliseconds);
        const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
        const exact = local
          .toPlainDate()
          .toPlainDateTime(time)
          .toZonedDateTime(timezone, { disambiguation: 'compatible' });
        expect(atTime(day, time, timezone)).toBe(exact.epochMilliseconds);
      }),
      { numRuns: 3_000 },
    );
  });
});
