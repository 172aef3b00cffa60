import { emailKey, parseAddress } from '#email-address';
import type { HashAddress } from '#link-token';

/** Returns the keyed hash of an address as it is written; null for a text that is no address. */
export type HashEmail = (organizationId: string, email: string) => string | null;

/** Hashes an address as the subscriber service does: all spellings of one mailbox have one hash. */
export const emailHasher =
  (hashAddress: HashAddress): HashEmail =>
  (organizationId, email) => {
    const parsed = parseAddress(email);
    return parsed.ok ? hashAddress(organizationId, emailKey(parsed.address)) : null;
  };
