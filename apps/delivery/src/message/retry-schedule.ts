/** Seconds between the attempts: a short burst for restarts, minutes for greylisting, then hours. */
const waits = [15, 30, 60, 300, 900, 1800, 3600, 7200, 14_400];

/** Four days: RFC 5321 4.5.4.1 requires four to five before giving up. */
export const giveUpAfterSeconds = 4 * 24 * 3600;

/**
 * @param attempts number of delivery attempts, at least 1
 * @param age seconds since it was created
 * @returns seconds to wait, or null when it is given up
 */
export function retryWait(attempts: number, age: number): number | null {
  const wait = waits[Math.min(attempts, waits.length) - 1]!;
  return age + wait > giveUpAfterSeconds ? null : wait;
}
