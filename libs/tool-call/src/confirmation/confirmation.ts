import { randomInt, randomUUID } from 'node:crypto';

/** Five minutes: the confirmation window (API text, Errors 2). */
export const confirmationWindowMs = 5 * 60 * 1000;
/** The third wrong try voids a code: 3 of 90,000 is the most a guesser gets. */
const wrongTriesMax = 3;

export interface LiveCode {
  code: number;
  callId: string;
  /** Milliseconds since the epoch. */
  until: number;
  wrongTries: number;
}

/** Everything remembered of one exact request: the code that is open, and codes already used within their window. */
export interface ConfirmationRecord {
  live: LiveCode | null;
  used: { code: number; callId: string; until: number }[];
}

export type ConfirmationDecision =
  /** Carry out the call under `callId`; a repeat of a used code has the same id and so replays its answer. */
  | { kind: 'execute'; callId: string; record: ConfirmationRecord }
  | { kind: 'ask'; live: LiveCode; note: 'new' | 'again' | 'wrong' | 'voided'; record: ConfirmationRecord };

export interface StoredConfirmation {
  record: ConfirmationRecord;
  revision: number;
}

/** Where records live: one per organization, token, tool and exact parameters, swapped by revision. */
export interface ConfirmationStore {
  /** @returns what was last seen here of a record, which others may have changed; null when nothing was. */
  recall(key: string): StoredConfirmation | null;
  read(key: string): Promise<StoredConfirmation | null>;
  /**
   * Writes the record unless it was written since `revision` (null = it must not exist). @returns false when it was.
   */
  write(key: string, record: ConfirmationRecord, revision: number | null): Promise<boolean>;
}

const newCode = (now: number): LiveCode => ({
  // 10000–99999 without modulo bias, from the system's secure generator.
  code: randomInt(10_000, 100_000),
  callId: `confirmed:${randomUUID()}`,
  until: now + confirmationWindowMs,
  wrongTries: 0,
});

/**
 * Decides a call with confirmation from the stored record. Pure but for the random code.
 * @param callId the call id of the caller's own idempotency key; a right code executes under it, and so do its repeats
 */
export function decideConfirmation(
  record: ConfirmationRecord | null,
  code: number | null,
  now: number,
  callId: string | null = null,
): ConfirmationDecision {
  const used = (record?.used ?? []).filter(({ until }) => until > now);
  const live = record?.live && record.live.until > now ? record.live : null;
  const usedBefore = used.find((entry) => entry.code === code);
  if (code !== null && live?.code === code) {
    const taken = { code, callId: callId ?? live.callId, until: live.until };
    return { kind: 'execute', callId: taken.callId, record: { live: null, used: [...used, taken] } };
  }
  if (usedBefore) return { kind: 'execute', callId: usedBefore.callId, record: { live, used } };
  if (!live) {
    const fresh = newCode(now);
    return { kind: 'ask', live: fresh, note: code === null ? 'new' : 'wrong', record: { live: fresh, used } };
  }
  if (code === null) return { kind: 'ask', live, note: 'again', record: { live, used } };
  const tried = { ...live, wrongTries: live.wrongTries + 1 };
  if (tried.wrongTries < wrongTriesMax)
    return { kind: 'ask', live: tried, note: 'wrong', record: { live: tried, used } };
  return { kind: 'ask', live: tried, note: 'voided', record: { live: null, used } };
}

/**
 * Decides under compare-and-set, so that of racing callers each sees the others' outcome. The cached record, or without
 * one and without a code none, is assumed to be current; if it is not, the write fails and the record is read.
 * @param key identifies organization, token, tool and exact parameters
 * @param callId as for `decideConfirmation`
 */
export async function confirm(
  store: ConfirmationStore,
  key: string,
  code: number | null,
  now: () => number,
  callId: string | null = null,
): Promise<ConfirmationDecision> {
  let known = store.recall(key);
  if (!known && code !== null) known = await store.read(key);
  for (;;) {
    const decision = decideConfirmation(known?.record ?? null, code, now(), callId);
    if (await store.write(key, decision.record, known?.revision ?? null)) return decision;
    known = await store.read(key);
  }
}
