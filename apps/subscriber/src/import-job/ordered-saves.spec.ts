import { describe, expect, it } from '@jest/globals';
import { OrderedSaves } from './ordered-saves.js';
import type { ReadyBatch } from './ordered-saves.js';

const batch = (n: number, keys: string[]): ReadyBatch => ({
  records: [],
  from: { bytes: n, lines: n },
  place: { bytes: n + 1, lines: n + 1 },
  prepared: { inputs: [], recordsOf: new Map(keys.map((key) => [key, []])), refused: [] },
});

/** Saves that end when the test says so. */
function fixture() {
  const begun: { n: number; before: number | null }[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const saves = new OrderedSaves(
    ({ from }, before) =>
      new Promise<void>((resolve, reject) => {
        begun.push({ n: from.bytes, before: before?.bytes ?? null });
        ends.push((error) => (error ? reject(error) : resolve()));
      }),
  );
  const settled = async () => await new Promise((resolve) => setImmediate(resolve));
  return { saves, begun, ends, settled };
}

describe('ordered saves', () => {
  it('saves two batches at a time, the second after the first', async () => {
    const { saves, begun, ends, settled } = fixture();
    await saves.add(batch(0, ['a']), false);
    await saves.add(batch(1, ['b']), false);
    const third = saves.add(batch(2, ['c']), false);
    await settled();
    expect(begun).toEqual([
      { n: 0, before: null },
      { n: 1, before: 0 },
    ]);
    ends[0]!();
    await third;
    expect(begun.at(-1)).toEqual({ n: 2, before: 1 });
  });

  it('saves a batch with an address of an open one after it, and one that must be alone, too', async () => {
    const { saves, begun, ends, settled } = fixture();
    await saves.add(batch(0, ['a']), false);
    const shared = saves.add(batch(1, ['x', 'a']), false);
    await settled();
    expect(begun).toHaveLength(1);
    ends[0]!();
    await shared;
    const alone = saves.add(batch(2, ['c']), true);
    await settled();
    expect(begun).toHaveLength(2);
    ends[1]!();
    await settled();
    ends[2]!();
    await alone;
    expect(begun.at(-1)).toEqual({ n: 2, before: null });
  });

  it('throws the error of the first batch that failed, once all have ended', async () => {
    const { saves, ends } = fixture();
    await saves.add(batch(0, ['a']), false);
    await saves.add(batch(1, ['b']), false);
    ends[0]!(new Error('first'));
    ends[1]!(new Error('second'));
    await expect(saves.settle()).rejects.toThrow('first');
  });
});
