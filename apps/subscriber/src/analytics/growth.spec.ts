import { describe, expect, it } from '@jest/globals';
import { growthIn, growthOf, lastDays } from './growth.js';

describe('growth by day', () => {
  it('ends with today in the zone, also across a change of the clock', () => {
    const now = new Date('2024-03-31T22:30:00Z');
    expect(lastDays(now, 3, 'Europe/Paris')).toEqual(['2024-03-30', '2024-03-31', '2024-04-01']);
    expect(lastDays(now, 2, 'America/New_York')).toEqual(['2024-03-30', '2024-03-31']);
  });

  it('fills gaps, leaves other days out, and sums', () => {
    const days = growthOf(
      ['2024-05-01', '2024-05-02'],
      [
        { date: '2024-05-02', subscribed: 1, unsubscribed: 3 },
        { date: '2024-05-03', subscribed: 9, unsubscribed: 0 },
      ],
    );
    expect(days).toEqual([
      { date: '2024-05-01', subscribed: 0, unsubscribed: 0, net: 0 },
      { date: '2024-05-02', subscribed: 1, unsubscribed: 3, net: -2 },
    ]);
    expect(growthIn(days)).toEqual({ subscribed: 1, unsubscribed: 3, net: -2 });
  });
});
