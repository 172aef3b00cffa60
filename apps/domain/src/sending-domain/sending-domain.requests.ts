import type { RequestHandlers, Repositories } from '../repositories.js';

export const sendingDomainRequestHandlers = ({
  domains,
}: Pick<Repositories, 'domains'>): RequestHandlers<'find_sending_domain'> => ({
  find_sending_domain: async ({ domain }, { organizationId }) => {
    const found = await domains.findByName(organizationId, domain);
    return { domain: found && { status: found.status, mailFromDomain: found.mailFromDomain } };
  },
});
