import type { RequestHandlers, Repositories } from '../repositories.js';

export const sendingDomainRequestHandlers = (
  { domains }: Pick<Repositories, 'domains'>,
  mailHost: string,
): RequestHandlers<'find_sending_domain'> => ({
  find_sending_domain: async ({ domain }, { organizationId }) => {
    const found = await domains.findByName(organizationId, domain);
    if (!found) return { domain: null };
    const mailFromDomain = found.mailFrom === 'VERIFIED' ? found.mailFromDomain : mailHost;
    return { domain: { status: found.status, mailFromDomain } };
  },
});
