import { describe, expect, it } from '@jest/globals';
import { sendInOrder } from './in-order.js';
import type { Batch } from './batch.js';

const batch = (...emails: string[]): Batch => ({
  rows: emails.map((email) => ({ email })),
  lines: emails.map(() => 1),
});

/** Accepts batches, and ends each when the test says so. */
function gate() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const send = (one: Batch) =>
    new Promise<void>((resolve, reject) => {
      const name = one.rows[0]!.email;
      begun.push(name);
      ends.set(name, { resolve, reject });
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    send,
    end: async (name: string) => (ends.get(name)!.resolve(), await settled()),
    fail: (name: string) => ends.get(name)!.reject(new Error(name)),
    settled,
  };
}

async function* each(...batches: Batch[]) {
  yield* batches;
}

describe('sending batches', () => {
  it('keeps at most the given number open', async () => {
    const { begun, send, end, settled } = gate();
    const all = sendInOrder(each(batch('a'), batch('b'), batch('c')), send, 2);
    await settled();
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    await all;
  });

  it('holds a batch back until the batch before with one of its addresses is done, in any case', async () => {
    const { begun, send, end, settled } = gate();
    const all = sendInOrder(each(batch('a', 'x'), batch('b'), batch('c', 'X')), send, 3);
    await settled();
    await end('b');
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('c');
    await all;
  });

  it('ends with the failure of a batch, when the others have ended', async () => {
    const { begun, send, end, fail, settled } = gate();
    let ended = false;
    const all = sendInOrder(each(batch('a'), batch('b'), batch('c')), send, 2).finally(() => (ended = true));
    const failure = expect(all).rejects.toThrow('a');
    await settled();
    fail('a');
    await settled();
    expect([begun, ended]).toEqual([['a', 'b'], false]);
    await end('b');
    await failure;
  });
});
