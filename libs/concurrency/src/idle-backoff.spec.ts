import { describe, expect, it, jest } from '@jest/globals';
import { IdleBackoff } from './idle-backoff.js';

const hour = 3_600_000;
const found = (many: number) => () => Promise.resolve(many);

/** A backoff, its commits and its wake-ups. */
function make(options = { minMs: 0, maxMs: hour }) {
  let commit: () => void = () => undefined;
  const wake = jest.fn();
  const backoff = new IdleBackoff({ onCommit: (hear) => (commit = hear) }, options, wake);
  return { backoff, wake, commit: () => commit() };
}

describe('IdleBackoff', () => {
  it('waits after a poll that found nothing, until a commit of this process', async () => {
    const { backoff, wake, commit } = make();
    expect(backoff.remainingMs).toBe(0);
    expect(await backoff.poll(found(2))).toBe(2);
    expect(backoff.remainingMs).toBe(0);
    await backoff.poll(found(0));
    expect(backoff.remainingMs).toBeGreaterThan(hour / 2);
    [1, 2, 3].forEach(commit);
    expect(backoff.remainingMs).toBe(0);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  it('waits at least minMs, however much is found and committed', async () => {
    const { backoff, commit } = make({ minMs: hour, maxMs: hour * 2 });
    await backoff.poll(found(1));
    commit();
    expect(backoff.remainingMs).toBeGreaterThan(hour / 2);
    expect(backoff.remainingMs).toBeLessThanOrEqual(hour);
  });

  it('does not wait after a commit during the poll, nor after a poll that failed', async () => {
    const { backoff, commit } = make();
    await backoff.poll(() => {
      commit();
      return Promise.resolve(0);
    });
    expect(backoff.remainingMs).toBe(0);
    await expect(backoff.poll(() => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
    expect(backoff.remainingMs).toBe(0);
  });

  it('ends after maxMs', async () => {
    const { backoff } = make({ minMs: 0, maxMs: 0 });
    await backoff.poll(found(0));
    expect(backoff.remainingMs).toBe(0);
  });
});
