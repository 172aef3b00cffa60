/**
 * How many commands share a write where the relay offers PIPELINING (RFC 2920). `none`: one command at a time. `group`:
 * MAIL, RCPT and DATA. `ahead`: the final dot too, with the group of the next message.
 */
export type Pipelining = 'none' | 'group' | 'ahead';

const levels = ['none', 'group', 'ahead'] as const satisfies readonly Pipelining[];

export const levelOf = (pipelining: Pipelining): number => levels.indexOf(pipelining);
export const pipeliningOf = (level: number): Pipelining => levels[level] ?? 'none';

/** Failures in a row, without an accepted message between them, that are no coincidence. */
const failuresMax = 2;
/** Failures within this time are one, since all connections of a relay end when it does. */
const oneEventMs = 1_000;

interface Experience {
  level: number;
  /** By the pipelining that failed. */
  failures: Record<Pipelining, number>;
  failedAt: number;
}

/** Remembers for each relay how much pipelining works: some servers offer it and lose or misread commands. */
export class PipeliningMemory {
  readonly #relays = new Map<string, Experience>();

  /** @param relay host and port */
  of(relay: string): Pipelining {
    return pipeliningOf(this.#relays.get(relay)?.level ?? levels.length - 1);
  }

  /** Records that a message was accepted whose commands shared a write. */
  worked(relay: string, used: Pipelining): void {
    const known = this.#relays.get(relay);
    if (known) known.failures[used] = 0;
  }

  /** Records that the relay lost or misread commands. @returns whether fewer share a write from now on */
  failed(relay: string, used: Pipelining, nowMs: number): boolean {
    const known = this.#relays.get(relay) ?? {
      level: levels.length - 1,
      failures: { none: 0, group: 0, ahead: 0 },
      failedAt: -Infinity,
    };
    this.#relays.set(relay, known);
    if (used === 'none' || levelOf(used) > known.level || nowMs - known.failedAt < oneEventMs) return false;
    known.failedAt = nowMs;
    known.failures[used] += 1;
    if (known.failures[used] < failuresMax) return false;
    known.level = levelOf(used) - 1;
    return true;
  }
}
