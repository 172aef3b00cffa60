import { dayIn, scheduleInstant } from './schedule-instant.js';

/** What the calendar needs of a campaign. */
export interface Dated {
  status: string;
  scheduledAt: string | null;
  startedAt: string | null;
}

const dayMs = 86_400_000;
const asDate = (day: string) => new Date(`${day}T00:00:00Z`);
const asDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The month (YYYY-MM) of a day (YYYY-MM-DD). */
export const monthOf = (day: string): string => day.slice(0, 7);

/** A day some days later; days have no hours, so that no clock change matters. */
export const addDays = (day: string, days: number): string => asDay(asDate(day).getTime() + days * dayMs);

/** The same day some months later, or the last one of a shorter month. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 0, ofMonth = 0] = day.split('-').map(Number);
  const last = Number(asDay(Date.UTC(year, month + months, 0)).slice(8));
  return asDay(Date.UTC(year, month - 1 + months, Math.min(ofMonth, last)));
}

/** The weeks of a month, from Monday to Sunday; the first and the last hold days of its neighbours. */
export function weeksOf(month: string): string[][] {
  const first = `${month}-01`;
  const beforeMonday = (asDate(first).getUTCDay() + 6) % 7;
  const weeks: string[][] = [];
  for (let day = addDays(first, -beforeMonday); weeks.length === 0 || monthOf(day) === month; day = addDays(day, 7))
    weeks.push(Array.from({ length: 7 }, (_, place) => addDays(day, place)));
  return weeks;
}

/** The first instant of the shown days in a zone, and the first after them. */
export function rangeOf(month: string, timeZone: string): { from: Date; to: Date } {
  const days = weeksOf(month).flat();
  const midnight = (day: string) => scheduleInstant({ day, hours: 0, minutes: 0 }, timeZone)!.at;
  return { from: midnight(days[0]!), to: midnight(addDays(days.at(-1)!, 1)) };
}

/** When a campaign starts or started. @returns null for one without a time */
export const instantOf = ({ status, scheduledAt, startedAt }: Dated): string | null =>
  status === 'SCHEDULED' ? scheduledAt : (startedAt ?? scheduledAt);

/** Campaigns by the day on which they start in a zone, each day's in their order. */
export function byDay<C extends Dated>(campaigns: readonly C[], timeZone: string): Map<string, C[]> {
  const dated = campaigns.flatMap((campaign) => {
    const instant = instantOf(campaign);
    return instant === null ? [] : [{ campaign, at: new Date(instant) }];
  });
  dated.sort((a, b) => a.at.getTime() - b.at.getTime());
  const days = new Map<string, C[]>();
  for (const { campaign, at } of dated) {
    const day = dayIn(timeZone, at);
    days.set(day, [...(days.get(day) ?? []), campaign]);
  }
  return days;
}

/** Where a key leads from a day: days and weeks by arrows, the ends of the week, months. @returns null for other keys */
export function dayAfterKey(day: string, key: string): string | null {
  const ofWeek = (asDate(day).getUTCDay() + 6) % 7;
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1);
    case 'ArrowRight':
      return addDays(day, 1);
    case 'ArrowUp':
      return addDays(day, -7);
    case 'ArrowDown':
      return addDays(day, 7);
    case 'Home':
      return addDays(day, -ofWeek);
    case 'End':
      return addDays(day, 6 - ofWeek);
    case 'PageUp':
      return addMonths(day, -1);
    case 'PageDown':
      return addMonths(day, 1);
    default:
      return null;
  }
}
