import { createHash, hkdfSync } from 'node:crypto';

export type KeyPurpose =
  | 'links'
  | 'exports'
  | 'dkim'
  | 'addresses'
  | 'webhooks'
  | 'canary'
  | 'fingerprint'
  | 'webhook-secrets'
  | 'request-hashes'
  | 'passwords'
  | 'sessions'
  | 'approvals'
  | 'oidc-attempts'
  | 'operator-passes'
  | 'second-factors'
  | 'kept-answers';

/**
 * Derives a secret of some bytes from the master key by HKDF-SHA256 (RFC 5869); `info` says what it is for.
 * Takes the master key as 64 hex digits; throws a RangeError for anything else.
 */
export const deriveSecret = (masterKeyHex: string, info: string, sizeBytes: number): Buffer => {
  if (!/^[0-9a-f]{64}$/i.test(masterKeyHex)) throw new RangeError('The master key must be 64 hex digits (32 bytes).');
  return Buffer.from(hkdfSync('sha256', Buffer.from(masterKeyHex, 'hex'), '', info, sizeBytes));
};

export const deriveKey = (masterKeyHex: string, purpose: KeyPurpose): Buffer =>
  deriveSecret(masterKeyHex, `tidings/${purpose}`, 32);

/**
 * Names a key without revealing it: the first hex digits of its SHA-256. Stored where a later start must recognize the
 * key, so the number of digits of one purpose never changes.
 */
export const fingerprintOf = (key: Buffer, digits: number): string =>
  createHash('sha256').update(key).digest('hex').slice(0, digits);
