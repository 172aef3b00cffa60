/** A day (YYYY-MM-DD), an hour and a minute as a clock on the wall shows them. */
export interface WallTime {
  day: string;
  hours: number;
  minutes: number;
}

/** What a clock in a zone shows at an instant, as milliseconds as if it stood in UTC. */
function wallOf(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(instant);
  const of = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
}

/**
 * The instant at which a clock in a zone shows a time. The first one, where the clock shows it twice.
 * @returns null for a day that is not one; `isSkipped` where the clock never shows the time and the instant is later
 */
export function scheduleInstant(
  { day, hours, minutes }: WallTime,
  timeZone: string,
): { at: Date; isSkipped: boolean } | null {
  const wanted = Date.parse(`${day}T00:00:00Z`) + (hours * 60 + minutes) * 60_000;
  if (Number.isNaN(wanted)) return null;
  const offsets = [wanted - 86_400_000, wanted + 86_400_000].map((near) => wallOf(near, timeZone) - near);
  const found = offsets.map((offset) => wanted - offset).filter((at) => wallOf(at, timeZone) === wanted);
  const at = found.length > 0 ? Math.min(...found) : wanted - offsets[0]!;
  return { at: new Date(at), isSkipped: found.length === 0 };
}

/** The day in a zone, as a date field takes it. */
export const dayIn = (timeZone: string, at: Date): string =>
  new Date(wallOf(at.getTime(), timeZone)).toISOString().slice(0, 10);
