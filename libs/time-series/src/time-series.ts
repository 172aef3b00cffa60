import { Temporal } from 'temporal-polyfill';
import { seriesCounters, seriesPointsMax, settledCounts } from '#contracts';
import type { DomainEvent, SeriesCounter, SeriesCounts, SeriesInterval } from '#contracts';
import { summarise, ToolError } from '#tool-call';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type SeriesEvent = DomainEvent<
  | 'messages.settled'
  | 'message.sent'
  | 'message.delivered'
  | 'message.bounced'
  | 'message.complained'
  | 'message.opened'
  | 'message.clicked'
  | 'subscriber.unsubscribed'
>;

/** The numbers of one hour; `hour` is its beginning in milliseconds since the epoch. */
export interface HourCounts extends SeriesCounts {
  hour: number;
}

/** From the first instant to before the last one. */
export interface SeriesRange {
  interval: SeriesInterval;
  from: Date;
  to: Date;
  timezone: string;
}

/**
 * Returns what an event adds to the numbers of its hour; null for events that no series counts, such as opens of
 * scanners. A bounce of a message that counted as delivered subtracts that delivery.
 */
export function seriesAddition({ name, data }: SeriesEvent): { at: string; counts: Partial<SeriesCounts> } | null {
  switch (name) {
    case 'messages.settled':
      return { at: data.at, counts: settledCounts(data) };
    case 'message.sent':
      return { at: data.at, counts: { sent: 1 } };
    case 'message.delivered':
      return { at: data.at, counts: { delivered: 1 } };
    case 'message.bounced':
      return { at: data.at, counts: { bounced: 1, ...(data.countedAs === 'DELIVERED' && { delivered: -1 }) } };
    case 'message.complained':
      return { at: data.at, counts: { complained: 1 } };
    case 'subscriber.unsubscribed':
      return data.again ? null : { at: data.occurredAt, counts: { unsubscribed: 1 } };
    case 'message.opened':
      return data.machine ? null : { at: data.at, counts: { opens: 1, uniqueOpens: Number(data.first) } };
    case 'message.clicked':
      return data.machine ? null : { at: data.at, counts: { clicks: 1, uniqueClicks: Number(data.first) } };
  }
}

export const hourOf = (at: string): string => `${at.slice(0, 13)}:00:00.000Z`;

/**
 * Removes negative numbers: each is taken from the hours before it, the latest first, so that the sum stays the same. A
 * sum below zero becomes zero.
 * @param hours in order
 */
export function carryBack(hours: readonly HourCounts[]): HourCounts[] {
  const result = hours.map((one) => ({ ...one }));
  for (const counter of seriesCounters) {
    let owed = 0;
    for (let at = result.length - 1; at >= 0; at--) {
      const left = result[at]![counter] - owed;
      owed = Math.max(0, -left);
      result[at]![counter] = Math.max(0, left);
    }
  }
  return result;
}

/**
 * Folds the numbers of hours into the points of a range, with zeros for gaps. The range is widened to whole hours or
 * days.
 * @param hours in any order
 * @throws ToolError RANGE_TOO_LONG for more than 1,000 points, PARAMETERS_INVALID for a range that ends before it begins
 */
export function seriesOf(hours: readonly HourCounts[], range: SeriesRange): (SeriesCounts & { at: string })[] {
  const starts = bucketStarts(range);
  const points = starts.map((start) => ({ at: new Date(start).toISOString(), ...zeros }));
  const end = nextBucket(starts.at(-1)!, range);
  for (const one of hours) {
    if (one.hour < starts[0]! || one.hour >= end) continue;
    const point = points[placeOf(starts, one.hour)]!;
    for (const counter of seriesCounters) point[counter] += one[counter];
  }
  return points;
}

function bucketStarts(range: SeriesRange): number[] {
  const { interval, from, to } = range;
  if (from >= to) {
    const issues = [{ path: ['from'], message: 'must be before to' }];
    throw new ToolError('PARAMETERS_INVALID', { summary: summarise(issues) }, { issues });
  }
  const count = Math.ceil((to.getTime() - from.getTime()) / (interval === 'HOUR' ? hourMs : dayMs));
  if (count > seriesPointsMax) throw new ToolError('RANGE_TOO_LONG', { points: count, pointsMax: seriesPointsMax });
  const starts: number[] = [];
  for (let start = bucketOf(from, range); start < to.getTime(); start = nextBucket(start, range)) starts.push(start);
  return starts;
}

const bucketOf = (at: Date, { interval, timezone }: SeriesRange): number =>
  interval === 'HOUR'
    ? Math.floor(at.getTime() / hourMs) * hourMs
    : zoned(at.getTime(), timezone).startOfDay().epochMilliseconds;

const nextBucket = (start: number, { interval, timezone }: SeriesRange): number =>
  interval === 'HOUR' ? start + hourMs : zoned(start, timezone).add({ days: 1 }).startOfDay().epochMilliseconds;

const zoned = (at: number, timezone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);

/** The last of the ordered starts that is not after an instant, by binary search. */
function placeOf(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

const zeros = Object.fromEntries(seriesCounters.map((counter) => [counter, 0])) as Record<SeriesCounter, number>;
