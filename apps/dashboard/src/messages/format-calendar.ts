import { dateLocale } from './text.js';

const inWords = (day: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(dateLocale(), {
    ...options,
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`));

/** A day (YYYY-MM-DD) of any zone with its weekday, such as "Tuesday, 24 November 2026". */
export const dayName = (day: string): string =>
  inWords(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** The weekday of a day (YYYY-MM-DD), such as "Tue". */
export const weekday = (day: string): string => inWords(day, { weekday: 'short' });

/** A month (YYYY-MM), such as "November 2026". */
export const monthName = (month: string): string => inWords(`${month}-01`, { month: 'long', year: 'numeric' });

/** The time of an instant in a zone, such as "09:30". */
export const timeOfDay = (at: string | Date, timeZone: string): string =>
  new Intl.DateTimeFormat(dateLocale(), {
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(new Date(at));
