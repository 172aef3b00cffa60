import { emailKey, parseAddress } from '#email-address';
import type { HashAddress } from '#link-token';

/** Makes the keyed hash of an address as it is written; null for a text that is no address. */
export type HashEmail = (organizationId: string, email: string) => string | null;

/** The hash that the subscriber service makes of the same mailbox, whatever the spelling. */
export const emailHasher =
  (hashAddress: HashAddress): HashEmail =>
  (organizationId, email) => {
    const parsed = parseAddress(email);
    return parsed.ok ? hashAddress(organizationId, emailKey(parsed.address)) : null;
  };
