import { describe, expect, it } from '@jest/globals';
import { timezoneNamed } from './timezone.js';

describe('timezoneNamed', () => {
  it.each([
    ['Europe/Paris', 'Europe/Paris'],
    ['europe/paris', 'Europe/Paris'],
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ])('knows %s as %s', (given, stored) => expect(timezoneNamed(given)).toBe(stored));

  it.each(['', 'Paris', 'Europe/Atlantis', '+02:00', 'UTC+2', 'Europe/Paris; drop table organization'])(
    'refuses %j with TIMEZONE_UNKNOWN',
    (given) => expect(() => timezoneNamed(given)).toThrow(expect.objectContaining({ reason: 'TIMEZONE_UNKNOWN' })),
  );
});
