import type { RequestHandlers, Repositories } from '../repositories.js';

export const senderRequestHandlers = ({ senders }: Pick<Repositories, 'senders'>): RequestHandlers<'get_sender'> => ({
  get_sender: async ({ senderId, use }, { organizationId }) => {
    const sender = await (senderId === null
      ? senders.findPreferred(organizationId)
      : senders.find(organizationId, senderId));
    if (sender && use) await senders.updateLastUsed(organizationId, sender.id);
    return { sender };
  },
});
