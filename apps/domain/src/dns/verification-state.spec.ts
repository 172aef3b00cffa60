import { describe, expect, it } from '@jest/globals';
import { nextCheckAt, nextState } from './verification-state.js';

const made = new Date('2026-03-01T00:00:00Z');
const after = (hours: number) => new Date(made.getTime() + hours * 3_600_000);
const fresh = { status: 'PENDING', failingSince: null, verifiedAt: null, createdAt: made } as const;
const verified = { status: 'VERIFIED', failingSince: null, verifiedAt: made, createdAt: made } as const;
const failing = { ...verified, failingSince: after(10) };

describe('where a check takes a name', () => {
  it('is VERIFIED once every required record is, from any state', () => {
    for (const known of [fresh, failing, { ...failing, status: 'FAILED' } as const]) {
      expect(nextState(known, ['VERIFIED', 'VERIFIED'], after(100))).toMatchObject({
        status: 'VERIFIED',
        failingSince: null,
      });
    }
  });

  it('is PENDING while a record is missing, FAILED by a wrong record and after 72 hours', () => {
    expect(nextState(fresh, ['VERIFIED', 'PENDING'], after(71)).status).toBe('PENDING');
    expect(nextState(fresh, ['VERIFIED', 'FAILED'], after(1)).status).toBe('FAILED');
    expect(nextState(fresh, ['VERIFIED', 'PENDING'], after(72)).status).toBe('FAILED');
    expect(nextState({ ...fresh, status: 'FAILED' }, ['VERIFIED', 'PENDING'], after(2)).status).toBe('PENDING');
  });

  it('stays VERIFIED for 72 hours without its records, and then FAILED until they are all back', () => {
    expect(nextState(verified, ['FAILED'], after(10))).toEqual({
      status: 'VERIFIED',
      failingSince: after(10),
      verifiedAt: made,
    });
    expect(nextState(failing, ['FAILED'], after(81)).status).toBe('VERIFIED');
    const failed = nextState(failing, ['FAILED'], after(82));
    expect(failed).toMatchObject({ status: 'FAILED', failingSince: after(10) });
    expect(nextState({ ...failed, createdAt: made }, ['PENDING'], after(83)).status).toBe('FAILED');
  });

  it('is due soon after a change, and at long intervals forever', () => {
    const hours = (known: Parameters<typeof nextCheckAt>[0], at: number) =>
      (nextCheckAt(known, made, after(at)).getTime() - after(at).getTime()) / 3_600_000;
    expect([hours(fresh, 1), hours(fresh, 80), hours(verified, 1), hours(failing, 1)]).toEqual([1 / 6, 24, 6, 1]);
  });
});
