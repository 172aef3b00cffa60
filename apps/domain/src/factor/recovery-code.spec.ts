import { describe, expect, it } from '@jest/globals';
import { hashRecoveryCode, makeRecoveryCodes } from './recovery-code.js';

describe('recovery codes', () => {
  it('are ten different ones of 120 bits', () => {
    const codes = makeRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
  });

  it('are known by a hash, however they are typed', () => {
    const code = 'ABCD-IO23-4567-BBBB-QRST-UVWX';
    const hash = hashRecoveryCode(code);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const typed of [
      ' abcd io23 4567 bbbb qrst uvwx ',
      'ABCDIO234567BBBBQRSTUVWX',
      'abcd-1023-4567-8888-qrst-uvwx',
    ])
      expect(hashRecoveryCode(typed)).toBe(hash);
    expect(hashRecoveryCode('ABCD-IO23-4567-BBBB-QRST-UVWY')).not.toBe(hash);
  });
});
