import type { HashEmail } from '../../message/address-hash.js';
import type { ErasureRepository } from './erasure.repository.js';

/** Lets messages forget some deleted people, all but a keyed hash of each address. @returns how many were looked at */
export async function eraseSome(erasures: ErasureRepository, hashEmail: HashEmail): Promise<number> {
  const addresses = await erasures.listAddresses();
  return await erasures.eraseSome(
    addresses.map(({ organizationId, email }) => ({ organizationId, email, hash: hashEmail(organizationId, email) })),
  );
}
