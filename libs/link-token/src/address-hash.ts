import { createHmac } from 'node:crypto';
import { deriveKey } from './derive-key.js';

/**
 * Makes of an address what may be kept when its subscriber is gone: a keyed hash, which says nothing without the key.
 * @returns hex of 64 digits
 */
export type HashAddress = (organizationId: string, emailKey: string) => string;

/**
 * Makes the hash by which services compare addresses that they no longer keep: HMAC-SHA256 (RFC 2104) with the key of
 * the purpose `addresses`, the same in every service of an installation.
 */
export const addressHasher = (masterKeyHex: string): HashAddress => {
  const key = deriveKey(masterKeyHex, 'addresses');
  return (organizationId, emailKey) => createHmac('sha256', key).update(`${organizationId}\n${emailKey}`).digest('hex');
};
