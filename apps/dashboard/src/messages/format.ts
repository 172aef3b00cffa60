import { currentLanguage, dateLocale } from './text.js';

export const number = (value: number): string => new Intl.NumberFormat(currentLanguage()).format(value);

/** A share between 0 and 1 with one decimal, such as "12.4 %". */
export const percent = (share: number): string =>
  new Intl.NumberFormat(currentLanguage(), {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(share);

/** A day and a time with its zone, such as "24 Nov 2026, 09:30 CET". */
export const dateTime = (at: string | Date, timeZone?: string): string =>
  new Intl.DateTimeFormat(dateLocale(), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(timeZone && { timeZone }),
  }).format(new Date(at));

/** A day, such as "24 Nov 2026". */
export const date = (at: string | Date, timeZone?: string): string =>
  new Intl.DateTimeFormat(dateLocale(), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    ...(timeZone && { timeZone }),
  }).format(new Date(at));

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How far an instant is away, such as "3 days ago". */
export function relative(at: string | Date, now: number): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}
