import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

describe('turns', () => {
  it('let so many work at a time, in the order they came, whatever becomes of one', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (n: number) =>
      turns.run(async () => {
        begun.push(n);
        await new Promise<void>((end) => ends.push(end));
        if (n === 0) throw new Error('broken');
        return n;
      });
    const all = Promise.allSettled([0, 1, 2, 3].map(work));
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    await settled();
    expect(begun).toEqual([0, 1]);
    ends[0]!();
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    ends[2]!();
    await settled();
    expect(begun).toEqual([0, 1, 2, 3]);
    ends[1]!();
    ends[3]!();
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });
});
