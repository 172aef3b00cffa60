import type { Repositories, ToolAnswers } from '../repositories.js';
import { publicSender } from './sender.js';

export const answerSenderTools = ({ senders }: Pick<Repositories, 'senders'>): ToolAnswers<'get_email_senders'> => ({
  get_email_senders: async (_args, caller) => {
    const all = await senders.list(caller.organizationId);
    return { senders: all.map(publicSender), total: all.length };
  },
});
