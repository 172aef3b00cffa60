import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { PositionCipher } from './position-cipher.js';

/** First octet of each MAC's input, so that no MAC serves a second purpose. */
const MAC_USE = { returnPath: 1, links: 2, seal: 3 } as const;
export const SEAL_OCTETS = { nonce: 12, mac: 16 };

export const subkey = (linkKey: Buffer, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', linkKey, '', use, 32)));

/** The keys and primitives of the tokens in campaign mail; the format is described in campaign-tokens.ts. */
export class CampaignKeys {
  readonly positions: PositionCipher;
  readonly #mac: KeyObject;
  readonly #seal: KeyObject;

  constructor(linkKey: Buffer) {
    this.#mac = subkey(linkKey, 'campaign-mac');
    this.#seal = subkey(linkKey, 'campaign-seal');
    this.positions = new PositionCipher(subkey(linkKey, 'campaign-positions'));
  }

  mac(use: keyof typeof MAC_USE, input: Buffer): Buffer {
    return createHmac('sha512', this.#mac).update(Buffer.of(MAC_USE[use])).update(input).digest();
  }

  /** Prepares an input for `macOf`, which then needs no copy: its first octet is set. */
  inputFor(use: keyof typeof MAC_USE, octets: number): Buffer {
    const input = Buffer.alloc(1 + octets);
    input[0] = MAC_USE[use];
    return input;
  }

  macOf(input: Buffer): Buffer {
    return createHmac('sha512', this.#mac).update(input).digest();
  }

  /** As `macOf`, in base64url: 86 characters. */
  macText(input: Buffer): string {
    return createHmac('sha512', this.#mac).update(input).digest('base64url');
  }

  /** AES-256-GCM under a nonce that is a MAC of the plain text (as in SIV): equal texts are sealed equally. */
  seal(body: Buffer): Buffer {
    const nonce = this.mac('seal', body).subarray(0, SEAL_OCTETS.nonce);
    const cipher = createCipheriv('aes-256-gcm', this.#seal, nonce);
    return Buffer.concat([nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
  }

  /** @returns null for what `seal` did not make. @param sealed not shorter than nonce and tag */
  unseal(sealed: Buffer): Buffer | null {
    const { nonce, mac } = SEAL_OCTETS;
    const decipher = createDecipheriv('aes-256-gcm', this.#seal, sealed.subarray(0, nonce));
    decipher.setAuthTag(sealed.subarray(-mac));
    const body = decipher.update(sealed.subarray(nonce, -mac));
    try {
      decipher.final();
      return body;
    } catch {
      return null;
    }
  }
}
