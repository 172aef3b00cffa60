import { generateKeyPair, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import type { DkimKeyPair } from './dkim-key.js';

const selectorLetters = 'abcdefghijklmnopqrstuvwxyz234567';

/** Two installations can sign for one domain, and a key can be replaced while its records live on. */
export const makeSelector = (): string =>
  `td${Array.from({ length: 8 }, () => selectorLetters[randomInt(32)]).join('')}`;

/**
 * Makes a 2048-bit RSA pair (RFC 8301 section 3.2) with a selector of its own in a tenth of a second or two, off the event
 * loop. Tests share pairs: test/harness/shared-key-pairs.ts.
 */
export async function makeDkimKeyPair(): Promise<DkimKeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return {
    selector: makeSelector(),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}
