import { hkdfSync } from 'node:crypto';

/** What the one master key of an installation is stretched into; each purpose has a key of its own. */
export type KeyPurpose = 'links' | 'roles' | 'exports' | 'dkim' | 'nats' | 'addresses';

/**
 * Derives the 32-byte key of one purpose from the master key by HKDF-SHA256 (RFC 5869).
 * Takes the master key as 64 hex digits; throws a RangeError for anything else.
 */
export const deriveKey = (masterKeyHex: string, purpose: KeyPurpose): Buffer => {
  if (!/^[0-9a-f]{64}$/i.test(masterKeyHex)) throw new RangeError('The master key must be 64 hex digits (32 bytes).');
  return Buffer.from(hkdfSync('sha256', Buffer.from(masterKeyHex, 'hex'), '', `tidings/${purpose}`, 32));
};
