import { describe, expect, it } from '@jest/globals';
import { yearIn } from './year.js';

describe('yearIn', () => {
  it('is the year of the time zone’s clock', () => {
    const now = new Date('2026-12-31T23:30:00Z');
    expect([yearIn('UTC', now), yearIn('Europe/Paris', now), yearIn('America/New_York', now)]).toEqual([
      2026, 2027, 2026,
    ]);
  });
});
