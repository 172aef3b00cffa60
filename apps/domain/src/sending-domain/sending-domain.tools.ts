import { assertWithinQuota, ToolError } from '#tool-call';
import { makeDkimKeyPair } from '../dkim-key/make-key-pair.js';
import { warningsOf } from '../dns/verification-state.js';
import type { ToolHandlers } from '../repositories.js';
import { publicDomain, readDomain, recordsOf } from './sending-domain.js';
import type { SendingDomainRepository } from './sending-domain.repository.js';
import { verifySendingDomain } from './sending-domain-verification.service.js';
import type { VerificationDependencies } from './sending-domain-verification.service.js';

interface Dependencies extends VerificationDependencies {
  domains: SendingDomainRepository;
  sandboxSuffix: string;
}

export const sendingDomainToolHandlers = (
  parts: Dependencies,
): ToolHandlers<'list_domains' | 'create_domain' | 'get_domain_dns_records' | 'verify_domain'> => ({
  list_domains: async (_args, { organizationId }) => {
    const all = await parts.domains.list(organizationId);
    return { domains: all.map((one) => publicDomain(one, parts.route)), total: all.length };
  },

  create_domain: async ({ domain: text }, caller) => {
    const { organizationId } = caller;
    const domain = readDomain(text, parts.sandboxSuffix);
    // Made outside the transaction: it takes a tenth of a second, and more on a busy machine.
    const keyPair = await makeDkimKeyPair();
    const made = await parts.inTransaction(async ({ domains, dkimKeys }) => {
      const used = await domains.countLocked(organizationId);
      const domainId = await domains.insert(organizationId, domain);
      if (domainId === null) {
        throw new ToolError('DOMAIN_EXISTS', {
          domain,
          domainId: (await domains.findByName(organizationId, domain))!.id,
        });
      }
      assertWithinQuota(caller, 'domains', { used, asked: 1 });
      if (await domains.isTaken(organizationId, domain)) throw new ToolError('DOMAIN_TAKEN', { domain });
      await dkimKeys.insert(organizationId, domainId, keyPair);
      return await domains.get(organizationId, domainId);
    });
    return { domain: publicDomain(made, parts.route) };
  },

  get_domain_dns_records: async ({ domainId }, { organizationId }) => {
    const domain = await parts.domains.get(organizationId, domainId);
    return { domain: publicDomain(domain, parts.route), records: recordsOf(domain, parts.route) };
  },

  verify_domain: async ({ domainId }, { organizationId, now }) => {
    const { after } = await verifySendingDomain(parts, { organizationId, domainId, now });
    return { domain: publicDomain(after, parts.route), warnings: warningsOf(after.domain, after) };
  },
});
