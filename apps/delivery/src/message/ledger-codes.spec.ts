import { describe, expect, it } from '@jest/globals';
import { ledgerKinds, ledgerStates, stateNameSql, withoutCode } from './ledger-codes.js';

describe('codes of the ledger', () => {
  it.each([ledgerStates, ledgerKinds])('are one letter each, and all differ', (codes) => {
    const letters = Object.values(codes);
    expect(new Set(letters).size).toBe(letters.length);
    expect(letters.every((letter) => /^[A-Z]$/.test(letter))).toBe(true);
  });

  it('become names in SQL', () => {
    expect(stateNameSql('m.state')).toContain(`case m.state when 'Q' then 'QUEUED'`);
  });

  it.each([
    [250, '250 2.0.0 Ok: queued as A1', '2.0.0 Ok: queued as A1'],
    [550, '550-5.1.1 No such user', '5.1.1 No such user'],
    [550, 'No such user', 'No such user'],
    [250, '2501 is no code', '2501 is no code'],
    [null, '250 messages wait', '250 messages wait'],
  ])('leave the code %p out of %p', (code, response, stored) => {
    expect(withoutCode(code, response)).toBe(stored);
  });
});
