import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const prefix = 'tdo_';
const macOctets = 32;
const nonceOctets = 8;
const lengthMax = 200;

export const operatorPassTtlMs = 600_000;

export const isOperatorPass = (credential: string): boolean => credential.startsWith(prefix);

/** Issues and verifies the passes by which the operator's command calls the gateway; nothing is stored. */
export class OperatorPasses {
  /** @param key `deriveKey(masterKey, 'operator-passes')` */
  constructor(private readonly key: Buffer) {}

  issue(now: Date): string {
    const expiry = Buffer.alloc(8);
    expiry.writeBigUInt64BE(BigInt(now.getTime() + operatorPassTtlMs));
    const body = Buffer.concat([expiry, randomBytes(nonceOctets)]);
    return `${prefix}${Buffer.concat([this.#mac(body), body]).toString('base64url')}`;
  }

  /** @returns false for a pass that is forged or expired, or ends later than a pass issued now */
  verify(pass: string, now: Date): boolean {
    const encoded = pass.length > lengthMax ? '' : pass.slice(prefix.length);
    const bytes = Buffer.from(encoded, 'base64url');
    const body = bytes.subarray(macOctets);
    if (body.length !== 8 + nonceOctets || `${prefix}${bytes.toString('base64url')}` !== pass) return false;
    if (!timingSafeEqual(bytes.subarray(0, macOctets), this.#mac(body))) return false;
    const remainingMs = Number(body.readBigUInt64BE()) - now.getTime();
    return remainingMs > 0 && remainingMs <= operatorPassTtlMs;
  }

  #mac(body: Buffer): Buffer {
    return createHmac('sha256', this.key).update(body).digest();
  }
}
