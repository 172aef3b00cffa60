import { describe, expect, it } from '@jest/globals';
import { rateHealth, ratesOf, earlyResultsVerdict, trustOf } from './deliverability.js';

const counts = (change: object) => ({ sent: 10_000, delivered: 10_000, bounced: 0, complained: 0, ...change });
const verdict = (metric: string, change: object) =>
  rateHealth(counts(change)).find((one) => one.metric === metric)!.verdict;

describe('judgeRates', () => {
  it.each([
    [0, 'OK'],
    [9, 'OK'],
    [10, 'WARN'],
    [29, 'WARN'],
    [30, 'CRITICAL'],
  ])('%d complaints of 10,000 delivered are %s', (complained, expected) => {
    expect(verdict('complaintRate', { complained })).toBe(expected);
  });

  it.each([
    [199, 'OK'],
    [200, 'WARN'],
    [499, 'WARN'],
    [500, 'CRITICAL'],
  ])('%d bounces of 10,000 sent are %s', (bounced, expected) => {
    expect(verdict('bounceRate', { bounced })).toBe(expected);
  });

  it('finds nothing wrong where nothing was sent, and says where a figure rests on little', () => {
    const none = counts({ sent: 0, delivered: 0 });
    expect(rateHealth(none).map((one) => one.verdict)).toEqual(['OK', 'OK']);
    expect(ratesOf(none)).toEqual({ delivery: 0, bounce: 0, complaint: 0 });
    expect(rateHealth(counts({ sent: 20, bounced: 1 }))[1]!.advice).toContain('Only 20 messages');
    expect(rateHealth(counts({ sent: 1 }))[1]!.advice).toContain('Only 1 message so far');
  });

  it('returns OK if only late reports of earlier mail arrived in the window', () => {
    const late = rateHealth({ sent: 0, delivered: 0, bounced: 2, complained: 1 });
    expect(late).toMatchObject(
      Array(2).fill({ value: 0, verdict: 'OK', advice: 'Nothing was sent that allows a verdict.' }),
    );
  });
});

describe('trustOf', () => {
  it('gives a hundred to who does nothing wrong, and takes off for what goes wrong', () => {
    expect(trustOf(counts({}), [])).toEqual({ trustScore: 100, level: 'HIGH' });
    expect(trustOf(counts({ bounced: 250 }), []).trustScore).toBe(85);
    expect(trustOf(counts({ bounced: 5000, complained: 100 }), [])).toEqual({ trustScore: 30, level: 'LOW' });
  });

  it('does not take one bounce of three messages for a habit', () => {
    expect(trustOf(counts({ sent: 3, delivered: 2, bounced: 1 }), []).trustScore).toBe(94);
  });
});

describe('trialVerdict', () => {
  const judge = (results: number, bounced: number, complained: number, total = 100_000) =>
    earlyResultsVerdict({ results, bounced, complained }, total)?.split(':')[0] ?? null;

  it.each([
    [1000, 49, 2, 100_000, null],
    [700, 50, 0, 100_000, 'Paused automatically'],
    [1000, 0, 3, 100_000, 'Paused automatically'],
    [2500, 60, 0, 100_000, null],
    [2500, 125, 0, 100_000, 'Paused automatically'],
    [100, 19, 0, 100, null],
    [100, 20, 0, 100, 'Paused automatically'],
    [500, 24, 0, 500, null],
    [500, 25, 0, 500, 'Paused automatically'],
  ])(
    '%d results with %d bounces and %d complaints of a campaign to %d: %s',
    (results, bounced, complained, total, expected) => {
      expect(judge(results, bounced, complained, total)).toBe(expected);
    },
  );
});
