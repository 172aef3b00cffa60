import { describe, expect, it } from '@jest/globals';
import { ClockSkews } from './clock-skew.js';

const times = (roundTripMs: number, skewMs: number) => ({
  sentMs: 1_000_000,
  receivedMs: 1_000_000 + roundTripMs,
  repliedMs: 1_000_000 + roundTripMs / 2 + skewMs,
});

describe('ClockSkews', () => {
  it('measures how far another clock is ahead, by the fastest round trip', () => {
    const skews = new ClockSkews(() => 0);
    skews.note('domain', times(8, 120_000));
    skews.note('domain', { ...times(200, 0), repliedMs: 1_000_000 });
    expect(skews.skewMs('domain')).toBe(120_000);
    expect(skews.list()).toEqual([{ service: 'domain', skewMs: 120_000 }]);
  });

  it('takes clocks for equal that differ by no more than the error of the measurement', () => {
    const skews = new ClockSkews(() => 0);
    skews.note('domain', times(40, 20));
    expect(skews.skewMs('domain')).toBe(0);
    skews.note('domain', times(38, -20));
    expect(skews.skewMs('domain')).toBe(-20);
  });

  it('forgets what it measured more than a minute ago', () => {
    let nowMs = 0;
    const skews = new ClockSkews(() => nowMs);
    skews.note('domain', times(2, -90_000));
    nowMs = 61_000;
    expect(skews.skewMs('domain')).toBe(0);
    expect(skews.list()).toEqual([]);
    skews.note('domain', times(40, 5_000));
    expect(skews.skewMs('domain')).toBe(5_000);
  });

  it('measures nothing by slow replies, or by those of a service that does not say its time', () => {
    const skews = new ClockSkews(() => 0);
    skews.note('domain', times(5_000, 60_000));
    skews.note('domain', { ...times(1, 0), repliedMs: NaN });
    expect(skews.list()).toEqual([]);
  });
});
