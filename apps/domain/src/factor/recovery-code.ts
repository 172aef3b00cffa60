import { createHash, randomBytes } from 'node:crypto';
import { Secret } from 'otpauth';

export const recoveryCodesTotal = 10;
const codeBytes = 15;

/** Ten codes of 120 bits each: 24 letters and digits of Base32 (RFC 4648) in groups of four. */
export const makeRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodesTotal }, () =>
    new Secret({ buffer: new Uint8Array(randomBytes(codeBytes)).buffer }).base32.match(/.{4}/g)!.join('-'),
  );

/** The hash by which a code is stored: SHA-256, hex. Case, spaces and hyphens of what was typed do not count. */
export function hashRecoveryCode(code: string): string {
  const letters = code.toUpperCase().replace(/[^A-Z0-9]/g, '');
  // Base32 has neither 0, 1 nor 8: a reader of a printed code may take O, I or B for them.
  const read = letters.replace(/0/g, 'O').replace(/1/g, 'I').replace(/8/g, 'B');
  return createHash('sha256').update(read).digest('hex');
}
