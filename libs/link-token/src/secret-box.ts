import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, fingerprintOf } from './derive-key.js';
import type { KeyPurpose } from './derive-key.js';

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals texts that are stored, by AES-256-GCM (NIST SP 800-38D) under a key of one purpose, which is derived from the
 * installation's master key and kept in memory only.
 */
export class SecretBox {
  readonly #key: Buffer;
  /** Names the key without revealing it: 16 hex digits. */
  readonly keyId: string;

  constructor(masterKeyHex: string, purpose: KeyPurpose) {
    this.#key = deriveKey(masterKeyHex, purpose);
    this.keyId = fingerprintOf(this.#key, 16);
  }

  /**
   * Returns nonce, tag and ciphertext; the same text is sealed differently each time.
   * `owner` is authenticated with it, so that a row cannot be given the secret of another one.
   */
  seal(text: string, owner: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws an Error if it was sealed under another key or for another owner, or was changed. */
  open(sealed: Buffer, owner: string): string {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  }
}
