/** The year that `{{currentYear}}` is in a time zone (an IANA name; a RangeError for anything else). */
export const yearIn = (timeZone: string, now: Date): number =>
  Number(new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', calendar: 'gregory' }).format(now));
