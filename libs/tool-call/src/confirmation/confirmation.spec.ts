import { describe, expect, it } from '@jest/globals';
import { confirm, confirmationWindowMs, decideConfirmation } from './confirmation.js';
import type { ConfirmationRecord, ConfirmationStore } from './confirmation.js';

const at = 1_800_000_000_000;
const ask = (record: ConfirmationRecord | null, code: number | null, now = at) => decideConfirmation(record, code, now);

describe('a confirmation', () => {
  it('asks with a five-digit code that lives five minutes, and repeats it when asked again', () => {
    const first = ask(null, null);
    if (first.kind !== 'ask') throw new Error('must ask');
    expect(first.live.code).toBeGreaterThanOrEqual(10_000);
    expect(first.live.code).toBeLessThanOrEqual(99_999);
    expect(first.live.until).toBe(at + confirmationWindowMs);
    expect(ask(first.record, null, at + 1000)).toMatchObject({ kind: 'ask', note: 'again', live: first.live });
  });

  it('executes once: the code repeated within its time has the same call id', () => {
    const { record } = ask(null, null);
    const { code, callId } = record.live!;
    const done = ask(record, code);
    expect(done).toMatchObject({ kind: 'execute', callId });
    expect(ask(done.record, code, at + confirmationWindowMs - 1)).toMatchObject({ kind: 'execute', callId });
    expect(ask(done.record, code, at + confirmationWindowMs)).toMatchObject({ kind: 'ask', note: 'wrong' });
  });

  it("executes under the caller's own call id, and so do repeats under another", () => {
    const { record } = ask(null, null);
    const { code } = record.live!;
    const done = decideConfirmation(record, code, at, 'key:mine');
    expect(done).toMatchObject({ kind: 'execute', callId: 'key:mine' });
    expect(decideConfirmation(done.record, code, at, 'key:other')).toMatchObject({ callId: 'key:mine' });
    expect(ask(done.record, code)).toMatchObject({ callId: 'key:mine' });
  });

  it('asks anew after it was used, with another call id', () => {
    const { record } = ask(null, null);
    const done = ask(record, record.live!.code);
    const next = ask(done.record, null);
    expect(next).toMatchObject({ kind: 'ask', note: 'new' });
    expect(next.record.live!.callId).not.toBe(record.live!.callId);
  });

  it('is void at the third wrong try', () => {
    let { record } = ask(null, null);
    const { code } = record.live!;
    const wrong = code === 99_999 ? 10_000 : code + 1;
    for (const note of ['wrong', 'wrong', 'voided']) {
      const tried = ask(record, wrong);
      expect(tried).toMatchObject({ kind: 'ask', note });
      record = tried.record;
    }
    expect(ask(record, code)).toMatchObject({ kind: 'ask' });
  });

  it('lets two racing callers share one call id', async () => {
    let stored: { record: ConfirmationRecord; revision: number } | null = null;
    const store: ConfirmationStore = {
      read: () => Promise.resolve(stored),
      write: (_key, record, revision) => {
        if ((stored?.revision ?? null) !== revision) return Promise.resolve(false);
        stored = { record, revision: (revision ?? 0) + 1 };
        return Promise.resolve(true);
      },
    };
    const asked = await confirm(store, 'k', null, () => at);
    if (asked.kind !== 'ask') throw new Error('must ask');
    const both = await Promise.all([1, 2].map(() => confirm(store, 'k', asked.live.code, () => at)));
    expect(both.map((decision) => decision.kind === 'execute' && decision.callId)).toEqual([
      asked.live.callId,
      asked.live.callId,
    ]);
  });
});
