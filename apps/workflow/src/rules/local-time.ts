import { Temporal } from 'temporal-polyfill';

/**
 * Local times by numbers: days since 1970-01-01, and milliseconds since 1970. Temporal decides, and what it decided is
 * remembered: a simulation asks for the same days a million times.
 */
const dayMs = 86_400_000;
const quarterMs = 900_000;
/** Clocks move by at most this at a change. */
const changeMs = 3 * 3_600_000;
/** Most remembered results of each kind; a year has 35,040 quarters of an hour. */
const rememberedMax = 200_000;

const epoch = Temporal.PlainDate.from('1970-01-01');
const offsets = new Map<string, number | null>();
const times = new Map<string, number>();

/** Returns the day of an instant in a time zone. */
export const localDay = (at: number, timezone: string): number => Math.floor((at + offsetAt(at, timezone)) / dayMs);

/** Returns the weekday of a day: 1 for Monday to 7 for Sunday. */
export const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** Returns the instant of a time of day; a skipped one moves forward, and of one that occurs twice it is the first. */
export function atTime(day: number, time: string, timezone: string): number {
  const key = `${day} ${time} ${timezone}`;
  const known = times.get(key);
  if (known !== undefined) return known;
  const local = epoch.add({ days: day }).toPlainDateTime(Temporal.PlainTime.from(time));
  const at = local.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds;
  remember(times, key, at);
  return at;
}

/** Returns the instant some days later at the same wall-clock time. */
export function addDays(at: number, days: number, timezone: string): number {
  if (timezone === 'UTC') return at + days * dayMs;
  const later = at + days * dayMs;
  const offset = offsetAt(at, timezone);
  // Without a change of clocks near the result, the wall-clock time exists there, and once.
  if ([later - changeMs, later, later + changeMs].every((near) => offsetAt(near, timezone) === offset)) return later;
  return zoned(at, timezone).add({ days }).epochMilliseconds;
}

function offsetAt(at: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  const quarter = Math.floor(at / quarterMs);
  const key = `${quarter} ${timezone}`;
  let known = offsets.get(key);
  if (known === undefined) {
    const [first, last] = [quarter * quarterMs, (quarter + 1) * quarterMs - 1].map((one) => offsetOf(one, timezone));
    // Few clocks change within a quarter of an hour: those quarters are not remembered.
    known = first === last ? first! : null;
    remember(offsets, key, known);
  }
  return known ?? offsetOf(at, timezone);
}

const zoned = (at: number, timezone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
const offsetOf = (at: number, timezone: string): number => zoned(at, timezone).offsetNanoseconds / 1_000_000;

function remember<V>(known: Map<string, V>, key: string, value: V): void {
  if (known.size >= rememberedMax) known.clear();
  known.set(key, value);
}
