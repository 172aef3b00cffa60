import { ToolError } from '#tool-call';
import type { RequestHandlers, Repositories } from '../repositories.js';
import { publicSender } from './sender.js';

/** @param mailHost takes the bounces of domains whose MAIL FROM is not VERIFIED */
export const senderRequestHandlers = (
  { senders }: Pick<Repositories, 'senders'>,
  mailHost: string,
): RequestHandlers<'get_sender' | 'set_default_sender'> => ({
  get_sender: async ({ senderId, use }, { organizationId }) => {
    const sender = await (senderId === null
      ? senders.findPreferred(organizationId)
      : senders.find(organizationId, senderId));
    if (sender && use) await senders.updateLastUsed(organizationId, sender.id);
    return { sender: sender && { ...sender, mailFromDomain: sender.mailFromDomain ?? mailHost } };
  },

  set_default_sender: async ({ senderId }) => {
    const sender = await senders.updateDefault(senderId);
    if (!sender) throw new ToolError('SENDER_NOT_FOUND', { id: senderId });
    return { sender: publicSender(sender) };
  },
});
