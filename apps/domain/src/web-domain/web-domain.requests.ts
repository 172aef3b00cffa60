import type { RequestHandlers, Repositories } from '../repositories.js';
import { readDomain } from '../sending-domain/sending-domain.js';
import { publicWebDomain } from './web-domain.js';

interface Dependencies {
  repositories: Pick<Repositories, 'organizations' | 'webDomains'>;
  sandboxSuffix: string;
  webHost: string;
}

export const webDomainRequestHandlers = ({
  repositories: { organizations, webDomains },
  sandboxSuffix,
  webHost,
}: Dependencies): RequestHandlers<'add_web_domain' | 'find_link_host'> => ({
  find_link_host: async (_args, { organizationId }) => ({ hostname: await webDomains.findLinkHost(organizationId) }),

  add_web_domain: async ({ organizationId, hostname }) => {
    const { id } = await organizations.get(organizationId);
    const made = await webDomains.insert(id, readDomain(hostname, sandboxSuffix));
    return { webDomain: publicWebDomain(made, webHost) };
  },
});
