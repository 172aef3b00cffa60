import { describe, expect, it, jest } from '@jest/globals';
import { Lull } from './lull.js';

const hour = 3_600_000;
const found = (many: number) => () => Promise.resolve(many);

/** A lull and what it hears and says. */
function make(pace = { soonMs: 0, longestMs: hour }) {
  let commit: () => void = () => undefined;
  const wake = jest.fn();
  const lull = new Lull({ onCommit: (hear) => (commit = hear) }, pace, wake);
  return { lull, wake, commit: () => commit() };
}

describe('a lull', () => {
  it('begins with a look that found nothing, and ends with a commit of this process', async () => {
    const { lull, wake, commit } = make();
    expect(lull.left).toBe(0);
    expect(await lull.look(found(2))).toBe(2);
    expect(lull.left).toBe(0);
    await lull.look(found(0));
    expect(lull.left).toBeGreaterThan(hour / 2);
    [1, 2, 3].forEach(commit);
    expect(lull.left).toBe(0);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  it('is not over sooner than it may be, however much is found and committed', async () => {
    const { lull, commit } = make({ soonMs: hour, longestMs: hour * 2 });
    await lull.look(found(1));
    commit();
    expect(lull.left).toBeGreaterThan(hour / 2);
    expect(lull.left).toBeLessThanOrEqual(hour);
  });

  it('does not begin when something was committed while it was looked, nor when looking failed', async () => {
    const { lull, commit } = make();
    await lull.look(() => {
      commit();
      return Promise.resolve(0);
    });
    expect(lull.left).toBe(0);
    await expect(lull.look(() => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
    expect(lull.left).toBe(0);
  });

  it('ends by itself', async () => {
    const { lull } = make({ soonMs: 0, longestMs: 0 });
    await lull.look(found(0));
    expect(lull.left).toBe(0);
  });
});
