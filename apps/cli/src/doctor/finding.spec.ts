import { describe, expect, it } from '@jest/globals';
import {
  judgeBackup,
  judgeSecondFactors,
  judgeCertificate,
  judgeClock,
  judgeDisk,
  judgeMigrations,
  judgeOutbox,
  statusOf,
} from './finding.js';
import type { Finding } from './finding.js';

const state = ({ state: found, remedy }: Finding) => {
  expect(remedy === null).toBe(found === 'OK');
  return found;
};

describe('what the doctor finds', () => {
  it.each([
    [50e9, 'OK'],
    [4e9, 'WARN'],
    [0.5e9, 'FAIL'],
  ])('%d bytes free of 100 GB are %s', (free, found) =>
    expect(state(judgeDisk('/data', { free, total: 100e9 }))).toBe(found),
  );

  it.each([
    [-0.5, 'OK'],
    [-5, 'WARN'],
    [90, 'FAIL'],
  ])('a clock that is %d s off is %s', (off, found) => expect(state(judgeClock(off))).toBe(found));

  it.each([
    [0.5, 'OK'],
    [3, 'WARN'],
    [null, 'WARN'],
  ])('a last backup of %p days ago is %s', (age, found) => expect(state(judgeBackup(age))).toBe(found));

  it.each([
    [5, 'OK'],
    [90, 'WARN'],
    [900, 'FAIL'],
  ])('an event that waits for %d s is %s', (oldestSeconds, found) =>
    expect(state(judgeOutbox([{ schema: 'delivery', events: 3, oldestSeconds }]))).toBe(found),
  );

  it.each([
    [60, false, 'OK'],
    [5, false, 'WARN'],
    [60, true, 'WARN'],
    [-1, false, 'FAIL'],
    [-1, true, 'FAIL'],
  ])('a certificate with %d days left, self-signed: %p, is %s', (days, own, found) =>
    expect(state(judgeCertificate(days, own))).toBe(found),
  );

  it('names migrations that are open, and those of a newer version', () => {
    expect(state(judgeMigrations({ domain: ['1', '2'] }, { domain: ['1', '2'] }))).toBe('OK');
    expect(judgeMigrations({ domain: ['1', '2'] }, { domain: ['1'] }).message).toBe('1 migrations are not applied');
    expect(judgeMigrations({ domain: ['1'] }, { domain: ['1', '2'] }).message).toMatch(
      /^the database has 1 migrations/,
    );
  });

  it('the worst finding decides the exit status', () => {
    const of = (...states: Finding['state'][]) =>
      statusOf(states.map((one) => ({ check: 'x', state: one, message: '', remedy: null })));
    expect([of('OK'), of('OK', 'WARN'), of('WARN', 'FAIL', 'OK')]).toEqual([0, 3, 1]);
  });

  it('warns of owners and admins without a second factor, and names ten', () => {
    expect(judgeSecondFactors({ emails: [], count: 0 }).state).toBe('OK');
    expect(judgeSecondFactors({ emails: ['a@example.com', 'b@example.com'], count: 12 })).toMatchObject({
      state: 'WARN',
      message: 'owners and admins without one: a@example.com, b@example.com and 10 others',
    });
  });
});
