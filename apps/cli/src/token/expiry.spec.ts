import { describe, expect, it } from '@jest/globals';
import { expiryAfter } from './expiry.js';

const now = new Date('2026-01-31T10:00:00.000Z');

describe('expiryAfter', () => {
  it.each([
    ['12h', '2026-01-31T22:00:00.000Z'],
    ['90d', '2026-05-01T10:00:00.000Z'],
    ['4w', '2026-02-28T10:00:00.000Z'],
  ])('%s from now', (span, at) => expect(expiryAfter(span, now)?.toISOString()).toBe(at));

  it.each(['', '90', '0d', '-1d', '1.5d', '90 d', '1m', 'soon', '123456d'])('refuses %j', (span) =>
    expect(expiryAfter(span, now)).toBeNull(),
  );
});
