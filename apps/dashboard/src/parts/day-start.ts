/**
 * The instant at which a day of this browser begins. @param day YYYY-MM-DD @param plus days after it
 * @returns ISO 8601 in UTC
 */
export function dayStart(day: string, plus = 0): string {
  const at = new Date(`${day}T00:00`);
  at.setDate(at.getDate() + plus);
  return at.toISOString();
}

/** The last millisecond of a day of this browser, as an instant in UTC. @param day YYYY-MM-DD */
export const dayEnd = (day: string): string => new Date(Date.parse(dayStart(day, 1)) - 1).toISOString();
