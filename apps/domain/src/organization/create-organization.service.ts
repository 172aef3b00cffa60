import { makeDkimKeyPair } from '../dkim-key/make-key-pair.js';
import type { DkimKeyPair } from '../dkim-key/dkim-key.js';
import type { InTransaction, Repositories } from '../repositories.js';
import { sandboxDomain } from '../sending-domain/sending-domain.js';
import type { StoredSender } from '../sender/sender.js';
import { issueToken } from '../token/token.js';
import type { Organization } from './organization.js';

export interface CreateOrganizationOptions {
  name: string;
  /** Cell of the organization; null for the home cell. */
  cell: string | null;
  sandboxSuffix: string;
}

/** Creates an organization that can send at once: with a verified sandbox domain, its key, and a default sender. */
export async function createOrganization(
  { organizations, domains, dkimKeys, senders }: Repositories,
  { name, cell, sandboxSuffix }: CreateOrganizationOptions,
  keyPair: DkimKeyPair,
): Promise<{ organization: Organization; sender: StoredSender }> {
  const organization = await organizations.insert({ name, cell });
  const domainId = await domains.insertSandbox(organization.id, sandboxDomain(organization.number, sandboxSuffix));
  await dkimKeys.insert(organization.id, domainId, keyPair);
  const sender = await senders.insert(organization.id, { domainId, displayName: name, localPart: 'hello' });
  return { organization, sender };
}

/** Minimum characters of a literal first token: 128 bits in hex; later starts ignore the token. */
const tokenLengthMin = 32;

/**
 * Creates the first organization of an installation and a token with all rights.
 * @param bootstrapToken the literal token; empty for a random one
 * @returns null when there is an organization already; of several processes starting at once, one creates it
 * @throws Error when the literal token is too short to be a secret
 */
export async function bootstrap(
  inTransaction: InTransaction,
  options: CreateOrganizationOptions,
  bootstrapToken: string,
): Promise<{ organizationId: string; apiToken: string } | null> {
  if (!(await inTransaction(({ organizations }) => organizations.claimFirst()))) return null;
  if (bootstrapToken !== '' && bootstrapToken.length < tokenLengthMin) {
    throw new Error(
      `BOOTSTRAP_TOKEN: must have at least ${tokenLengthMin} characters, such as openssl rand -hex 32 writes`,
    );
  }
  // Made outside the transaction: it takes a tenth of a second, and more on a busy machine.
  const keyPair = await makeDkimKeyPair();
  return await inTransaction(async (repositories) => {
    if (!(await repositories.organizations.claimFirst())) return null;
    const { organization } = await createOrganization(repositories, options, keyPair);
    const facts = {
      name: 'First token',
      scopes: ['read', 'write', 'send'] as const,
      selfConfirm: true,
      expiresAt: null,
    };
    const { secret, stored } = issueToken(facts, bootstrapToken);
    await repositories.tokens.insert(organization.id, stored);
    return { organizationId: organization.id, apiToken: secret };
  });
}
