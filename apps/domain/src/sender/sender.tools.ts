import type { Repositories, ToolHandlers } from '../repositories.js';
import { publicSender } from './sender.js';

export const senderToolHandlers = ({ senders }: Pick<Repositories, 'senders'>): ToolHandlers<'get_email_senders'> => ({
  get_email_senders: async (_args, caller) => {
    const all = await senders.list(caller.organizationId);
    return { senders: all.map(publicSender), total: all.length };
  },
});
