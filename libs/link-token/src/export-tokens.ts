import { createHmac, timingSafeEqual } from 'node:crypto';

export interface ExportLink {
  /** As on the wire. */
  organizationId: string;
  exportId: string;
  /** Whole seconds count. */
  expiresAt: Date;
}

const macOctets = 32;
const tokenLengthMax = 256;

/** Makes and opens the tokens of download links: who has one may fetch that file until it ends, and nothing else. */
export class ExportTokens {
  /** @param key `deriveKey(masterKey, 'exports')` */
  constructor(private readonly key: Buffer) {}

  seal({ organizationId, exportId, expiresAt }: ExportLink): string {
    const body = Buffer.from(`${organizationId}.${exportId}.${Math.floor(expiresAt.getTime() / 1000)}`);
    return Buffer.concat([this.#mac(body), body]).toString('base64url');
  }

  /** @returns null for an invalid or expired token */
  open(token: string, now: Date): ExportLink | null {
    const bytes = Buffer.from(token.length > tokenLengthMax ? '' : token, 'base64url');
    const body = bytes.subarray(macOctets);
    const given = Buffer.alloc(macOctets);
    bytes.copy(given, 0, 0, macOctets);
    if (!timingSafeEqual(given, this.#mac(body)) || bytes.toString('base64url') !== token) return null;
    const [organizationId, exportId, seconds] = body.toString().split('.');
    const expiresAt = new Date(Number(seconds) * 1000);
    return expiresAt > now ? { organizationId: organizationId!, exportId: exportId!, expiresAt } : null;
  }

  #mac(body: Buffer): Buffer {
    return createHmac('sha256', this.key).update(body).digest();
  }
}
