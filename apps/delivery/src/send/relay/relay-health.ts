/** Failures in a row that make a relay ill; one alone is a connection that ended, as relays do after some messages. */
const illAfter = 3;
/** Temporary refusals in a row, with none accepted, that mean the relay and not the recipients. */
const busyAfter = 40;

/** Seconds until the next try, by how often trying failed. */
const waits = [1, 2, 4, 8, 15];

/**
 * While the relay is unavailable, one connection at a time tries it, with growing waits; a message it takes makes it
 * healthy.
 */
export interface RelayHealth {
  failures: number;
  refusals: number;
  /** How often it was found unavailable since it last took a message. */
  rounds: number;
  trouble: string | null;
}

export const wellRelay: RelayHealth = { failures: 0, refusals: 0, rounds: 0, trouble: null };

/**
 * @param sign `well`: it took or finally refused a message; `busy`: it deferred one; `ill`: the connection failed
 * @returns the new health, and the seconds until the next try (0: at once)
 */
export function observeRelay(
  before: RelayHealth,
  sign: 'well' | 'busy' | 'ill',
  reason: string,
): { health: RelayHealth; wait: number } {
  if (sign === 'well') return { health: wellRelay, wait: 0 };
  const failures = sign === 'ill' ? before.failures + 1 : before.failures;
  const refusals = sign === 'busy' ? before.refusals + 1 : before.refusals;
  const inTrouble = before.trouble !== null || failures >= illAfter || refusals >= busyAfter;
  if (!inTrouble) return { health: { ...before, failures, refusals }, wait: 0 };
  const wait = waits[Math.min(before.rounds, waits.length - 1)]!;
  return { health: { failures, refusals, rounds: before.rounds + 1, trouble: reason }, wait };
}
