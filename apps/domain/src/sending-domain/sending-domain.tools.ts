import type { Repositories, ToolHandlers } from '../repositories.js';
import { publicDomain } from './sending-domain.js';

export const sendingDomainToolHandlers = ({
  domains,
}: Pick<Repositories, 'domains'>): ToolHandlers<'list_domains'> => ({
  list_domains: async (_args, caller) => {
    const all = await domains.list(caller.organizationId);
    return { domains: all.map(publicDomain), total: all.length };
  },
});
