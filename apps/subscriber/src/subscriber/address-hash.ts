import { createHmac } from 'node:crypto';

/**
 * Makes of an address what may be kept when its subscriber is gone: a keyed hash, which tells nothing without the key.
 * @returns hex of 64 digits
 */
export type HashAddress = (organizationId: string, emailKey: string) => string;

/** @param key of its own purpose, so that no other secret's use reveals it */
export const addressHasher =
  (key: Buffer): HashAddress =>
  (organizationId, emailKey) =>
    createHmac('sha256', key).update(`${organizationId}\n${emailKey}`).digest('hex');
