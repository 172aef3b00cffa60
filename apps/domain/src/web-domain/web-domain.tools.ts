import { warningsOf } from '../dns/verification-state.js';
import type { ToolHandlers } from '../repositories.js';
import { publicWebDomain } from './web-domain.js';
import { verifyWebDomain, webDomainName } from './web-domain-verification.service.js';
import type { WebVerificationDependencies } from './web-domain-verification.service.js';

export const webDomainToolHandlers = (
  parts: WebVerificationDependencies,
): ToolHandlers<'list_web_domains' | 'get_web_domain' | 'verify_web_domain'> => ({
  list_web_domains: async (_args, { organizationId }) => {
    const all = await parts.webDomains.list(organizationId);
    return { webDomains: all.map((one) => publicWebDomain(one, parts.webHost)), total: all.length };
  },

  get_web_domain: async ({ domainId }, { organizationId }) => {
    const webDomain = await parts.webDomains.get(organizationId, webDomainName(domainId));
    return { webDomain: publicWebDomain(webDomain, parts.webHost) };
  },

  verify_web_domain: async ({ domainId }, { organizationId, now }) => {
    const { after } = await verifyWebDomain(parts, { organizationId, domainId, now });
    return { webDomain: publicWebDomain(after, parts.webHost), warnings: warningsOf(after.hostname, after) };
  },
});
