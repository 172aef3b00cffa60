import { SecretBox } from '#link-token';

export interface DkimKeyPair {
  selector: string;
  /** Base64 of the SubjectPublicKeyInfo, the `p=` of the record (RFC 6376 section 3.6.1). */
  publicKey: string;
  privateKeyPem: string;
}

/** A private key as it is stored: nonce, tag and ciphertext of AES-256-GCM, and which wrapping key opens it. */
export interface SealedKey {
  sealed: Buffer;
  wrappingKeyId: string;
}

/** Seals private keys under a key that is derived from the installation's master key and kept in memory only. */
export class KeyWrap {
  readonly #box: SecretBox;

  constructor(masterKeyHex: string) {
    this.#box = new SecretBox(masterKeyHex, 'dkim');
  }

  get keyId(): string {
    return this.#box.keyId;
  }

  /** @param owner bound into the seal, so that a row cannot be given another one's key */
  seal(privateKeyPem: string, owner: string): SealedKey {
    return { sealed: this.#box.seal(privateKeyPem, owner), wrappingKeyId: this.keyId };
  }

  /** @throws Error when it was sealed under another master key or for another owner, or was changed */
  open({ sealed, wrappingKeyId }: SealedKey, owner: string): string {
    if (wrappingKeyId !== this.keyId) {
      throw new Error(`The DKIM key is sealed under another MASTER_KEY (${wrappingKeyId}, not ${this.keyId}).`);
    }
    return this.#box.open(sealed, owner);
  }
}
