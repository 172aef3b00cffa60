import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'tdg_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 34 letters of 62 hold 202 bits, so that a fast hash is enough to store. */
const randomLetters = 34;
const checksumLetters = 6;
const fullLength = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLetters + checksumLetters}}$`);

/**
 * Makes a token: `tdg_`, 34 random base62 letters, and their CRC-32 in 6 more, which detects typos and helps scanners.
 */
export function makeApiToken(): string {
  const random = Array.from({ length: randomLetters }, () => alphabet[randomInt(alphabet.length)]).join('');
  return prefix + random + checksum(random);
}

/** Returns the SHA-256 of a token in hex, which is stored and looked up instead of the token. */
export const hashApiToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * Whether a text may be a token: false only for one of full length whose checksum is wrong, which needs no look-up. Any
 * other text may be the literal token an installation was started with.
 */
export function isPossibleApiToken(text: string): boolean {
  if (!fullLength.test(text)) return text !== '';
  const random = text.slice(prefix.length, -checksumLetters);
  return text.endsWith(checksum(random));
}

function checksum(random: string): string {
  let rest = crc32(random);
  let letters = '';
  for (let i = 0; i < checksumLetters; i++) {
    letters = alphabet[rest % alphabet.length]! + letters;
    rest = Math.floor(rest / alphabet.length);
  }
  return letters;
}
