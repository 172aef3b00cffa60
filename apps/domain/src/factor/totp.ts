import { Secret, TOTP } from 'otpauth';

/** RFC 6238 with the values that authenticator apps assume: SHA-1, six digits, 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps before and after the present one that count, for clocks that differ (RFC 6238, section 5.2). */
const window = 1;
/** RFC 4226, section 4, R6 recommends 160 bits. */
const secretBytes = 20;

export const makeTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

/** The key URI that an authenticator app reads from a QR code. */
export const totpUri = (secret: string, email: string): string =>
  new TOTP({ ...parameters, issuer: 'Tidings', label: email, secret: Secret.fromBase32(secret) }).toString();

/**
 * The time step of a code (RFC 6238, section 4.2).
 * @param code six digits, with or without spaces
 * @param lastStep the last step that was used: it and those before it count no more
 * @returns null for a code that is wrong, too old or used
 */
export function stepOfCode(secret: string, code: string, lastStep: number, nowMs: number): number | null {
  const token = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = TOTP.validate({ ...parameters, token, secret: Secret.fromBase32(secret), timestamp: nowMs, window });
  if (delta === null) return null;
  const step = Math.floor(nowMs / (parameters.period * 1_000)) + delta;
  return step > lastStep ? step : null;
}
