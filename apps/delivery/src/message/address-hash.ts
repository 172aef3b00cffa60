import { emailKey, parseAddress } from '#email-address';
import type { EmailAddress } from '#email-address';
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

/** Returns the ledger's keyed hash of a mailbox: a signed integer of 64 bits, in decimal. */
export type HashMailbox = (organizationId: string, mailbox: string) => string;

/**
 * Shortens the keyed hash of an address to the `mailbox_hash` of the ledger. Two mailboxes with the same hash share their
 * cap, so it decides nothing else: a reader compares the address too.
 */
export const mailboxHasher =
  (hashAddress: HashAddress): HashMailbox =>
  (organizationId, mailbox) =>
    mailboxHashOf(hashAddress(organizationId, mailbox));

/** The `mailbox_hash` of the ledger by the keyed hash of an address; null for none. */
export const mailboxHashOf = <T extends string | null>(addressHash: T): T =>
  (addressHash === null ? null : BigInt.asIntN(64, BigInt(`0x${addressHash.slice(0, 16)}`)).toString()) as T;

/** A mailbox of an organization, as the recipient guard counts it. */
export interface GuardedMailbox {
  /** By `emailKey`. */
  key: string;
  /** By `HashMailbox`. */
  hash: string;
}

/** Names a mailbox for the recipient guard. */
export function guardedMailbox(
  organizationId: string,
  address: EmailAddress,
  hashMailbox: HashMailbox,
): GuardedMailbox {
  const key = emailKey(address);
  return { key, hash: hashMailbox(organizationId, key) };
}
