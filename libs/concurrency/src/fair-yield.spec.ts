import { describe, expect, it } from '@jest/globals';
import { FairYield } from './fair-yield.js';

describe('turns of the event loop', () => {
  it('let keys take turns, one piece of work a turn of the loop', async () => {
    const fair = new FairYield();
    const done: string[] = [];
    let loops = 0;
    let on = true;
    const count = () => {
      loops += 1;
      if (on) setImmediate(count);
    };
    setImmediate(count);
    const pieces = ['a1', 'a2', 'a3', 'b1'].map(async (name) => {
      await fair.next(name[0]!);
      done.push(`${name} in ${loops}`);
    });
    await Promise.all(pieces);
    on = false;
    expect(done.map((piece) => piece.slice(0, 2))).toEqual(['a1', 'a2', 'b1', 'a3']);
    expect(new Set(done.map((piece) => piece.slice(2))).size).toBe(4);
  });
});
