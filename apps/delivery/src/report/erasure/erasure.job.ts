import type { HashEmail } from '../../message/address-hash.js';
import type { ErasureRepository } from './erasure.repository.js';

/**
 * Erases some deleted subscribers from messages, all but a keyed hash of each address. @returns how many were checked
 */
export async function eraseSome(erasures: ErasureRepository, hashEmail: HashEmail): Promise<number> {
  const addresses = await erasures.listAddresses();
  return await erasures.eraseSome(
    addresses.map(({ organizationId, email }) => ({ organizationId, email, hash: hashEmail(organizationId, email) })),
  );
}
