import { describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { makeTotpSecret, stepOfCode, totpUri } from './totp.js';

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const codeAt = (seconds: number) =>
  TOTP.generate({
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: 30,
    timestamp: seconds * 1_000,
  });

describe('a TOTP code', () => {
  // RFC 6238, appendix B, SHA-1: the last six of its eight digits.
  it.each([
    [59, '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [2_000_000_000, '279037', 66_666_666],
  ])('is the one of RFC 6238 at %d s', (seconds, code, step) => {
    expect(stepOfCode(secret, code, 0, seconds * 1_000)).toBe(step);
  });

  it('counts one step early or late, and no more', () => {
    const now = 1_800_000_015;
    const step = Math.floor(now / 30);
    const steps = [-60, -30, 0, 30, 60].map((away) => stepOfCode(secret, codeAt(now + away), 0, now * 1_000));
    expect(steps).toEqual([null, step - 1, step, step + 1, null]);
  });

  it('counts once, and none before the last used', () => {
    const now = 1_800_000_015;
    const step = Math.floor(now / 30);
    expect(stepOfCode(secret, codeAt(now), step, now * 1_000)).toBeNull();
    expect(stepOfCode(secret, codeAt(now - 30), step, now * 1_000)).toBeNull();
    expect(stepOfCode(secret, codeAt(now + 30), step, now * 1_000)).toBe(step + 1);
  });

  it('may hold spaces, and is nothing but six digits', () => {
    expect(stepOfCode(secret, ' 287 082', 0, 59_000)).toBe(1);
    for (const wrong of ['', '28708', '2870822', '28708a', '２８７０８２'])
      expect(stepOfCode(secret, wrong, 0, 59_000)).toBeNull();
  });

  it('comes of a secret of 160 bits, whose URI names issuer and address', () => {
    const made = makeTotpSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(made).not.toBe(makeTotpSecret());
    const uri = new URL(totpUri(made, 'olga@example.com'));
    expect(uri.protocol).toBe('otpauth:');
    expect(decodeURIComponent(uri.pathname)).toContain('Tidings:olga@example.com');
    expect(Object.fromEntries(uri.searchParams)).toMatchObject({
      secret: made,
      issuer: 'Tidings',
      digits: '6',
      period: '30',
    });
  });
});
