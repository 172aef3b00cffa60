import { describe, expect, it } from '@jest/globals';
import { confirm, confirmationWindowMs, decideConfirmation } from './confirmation.js';
import type { ConfirmationRecord, ConfirmationStore, StoredConfirmation } from './confirmation.js';

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

  it('requires a new confirmation after use, with another call id', () => {
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

  describe.each(['nothing', 'what it wrote itself'])('by stores of which each remembers %s', (memory) => {
    function makeStores(): ConfirmationStore[] {
      let stored: StoredConfirmation | null = null;
      return [1, 2].map(() => {
        let seen: StoredConfirmation | null = null;
        return {
          recall: () => (memory === 'nothing' ? null : seen),
          read: () => Promise.resolve(stored),
          write: (_key, record, revision) => {
            if ((stored?.revision ?? null) !== revision) return Promise.resolve(false);
            stored = seen = { record, revision: (revision ?? 0) + 1 };
            return Promise.resolve(true);
          },
        };
      });
    }

    it('gives racing callers one call id', async () => {
      const [one, other] = makeStores();
      const asked = await confirm(one!, 'k', null, () => at);
      if (asked.kind !== 'ask') throw new Error('must ask');
      const all = await Promise.all(
        [one!, other!, one!].map((store) => confirm(store, 'k', asked.live.code, () => at)),
      );
      expect(all.map((decision) => decision.kind === 'execute' && decision.callId)).toEqual(
        Array(3).fill(asked.live.callId),
      );
    });

    it('voids a code after three wrong tries wherever they are made', async () => {
      const [one, other] = makeStores();
      const asked = await confirm(one!, 'k', null, () => at);
      if (asked.kind !== 'ask') throw new Error('must ask');
      for (const store of [other!, one!, other!]) await confirm(store, 'k', asked.live.code + 1, () => at);
      expect(await confirm(one!, 'k', asked.live.code, () => at)).toMatchObject({ kind: 'ask', note: 'wrong' });
    });

    it('returns the open code to a caller that asks again', async () => {
      const [one, other] = makeStores();
      const asked = await confirm(one!, 'k', null, () => at);
      if (asked.kind !== 'ask') throw new Error('must ask');
      const { code } = asked.live;
      expect(await confirm(other!, 'k', null, () => at)).toMatchObject({ note: 'again', live: { code } });
    });
  });
});
