import { describe, expect, it } from '@jest/globals';
import { timezoneNamed } from './timezone.js';

describe('timezoneNamed', () => {
  it.each([
    ['Europe/Paris', 'Europe/Paris'],
    ['europe/paris', 'Europe/Paris'],
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['EST5EDT', 'EST5EDT'],
    ['GB', 'GB'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ])('reads %s as %s', (given, stored) => expect(timezoneNamed(given)).toBe(stored));

  it.each(['', 'Paris', 'Europe/Atlantis', '+02:00', 'UTC+2', 'Europe/Paris; drop table organization'])(
    'refuses %j with TIMEZONE_UNKNOWN',
    (given) => expect(() => timezoneNamed(given)).toThrow(expect.objectContaining({ reason: 'TIMEZONE_UNKNOWN' })),
  );

  it.each(['BST', 'bst', 'IST', 'PST', 'CST', 'AST', 'SystemV/PST8PDT'])(
    'refuses %s, which is no IANA name and means another zone to the database or to the caller',
    (given) => expect(() => timezoneNamed(given)).toThrow(expect.objectContaining({ reason: 'TIMEZONE_UNKNOWN' })),
  );
});
