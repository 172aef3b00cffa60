import type { Answers, Repositories } from '../repositories.js';

export const answerSenderRequests = ({ senders }: Pick<Repositories, 'senders'>): Answers<'get_sender'> => ({
  get_sender: async ({ senderId, use }, { organizationId }) => {
    const sender = await (senderId === null
      ? senders.findPreferred(organizationId)
      : senders.find(organizationId, senderId));
    if (sender && use) await senders.updateLastUsed(organizationId, sender.id);
    return { sender };
  },
});
