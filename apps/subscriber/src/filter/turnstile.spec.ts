import { describe, expect, it } from '@jest/globals';
import { Turnstile } from './turnstile.js';

describe('a turnstile', () => {
  const patient = { deadline: Date.now() + 600_000 };

  it('lets so many work at a time, in order, and goes on after a failure', async () => {
    const turnstile = new Turnstile(2);
    const open: (() => void)[] = [];
    const started: number[] = [];
    const work = (n: number) =>
      turnstile.pass(patient, async () => {
        started.push(n);
        await new Promise<void>((done) => open.push(done));
        if (n === 0) throw new Error('spoilt');
        return n;
      });
    const results = [0, 1, 2, 3].map((n) => work(n).catch(() => 'spoilt'));
    await new Promise(setImmediate);
    expect(started).toEqual([0, 1]);
    for (let at = 0; at < 4; at++) {
      open[at]!();
      await results[at];
      await new Promise(setImmediate);
    }
    expect(started).toEqual([0, 1, 2, 3]);
    expect(await Promise.all(results)).toEqual(['spoilt', 1, 2, 3]);
  });

  it('does no work that nobody waits for any more', async () => {
    const impatient = new Turnstile(1).pass({ deadline: Date.now() - 1 }, () => Promise.resolve('done'));
    await expect(impatient).rejects.toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
  });
});
