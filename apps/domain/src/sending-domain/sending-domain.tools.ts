import type { Repositories, ToolAnswers } from '../repositories.js';
import { publicDomain } from './sending-domain.js';

export const answerSendingDomainTools = ({ domains }: Pick<Repositories, 'domains'>): ToolAnswers<'list_domains'> => ({
  list_domains: async (_args, caller) => {
    const all = await domains.list(caller.organizationId);
    return { domains: all.map(publicDomain), total: all.length };
  },
});
