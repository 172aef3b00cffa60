import { ToolError } from '#tool-call';
import type { Repositories, ToolHandlers } from '../repositories.js';
import { assertLocalPart, publicSender, readReplyTo } from './sender.js';

export const senderToolHandlers = ({
  senders,
  domains,
}: Pick<Repositories, 'senders' | 'domains'>): ToolHandlers<'get_email_senders' | 'create_email_sender'> => ({
  get_email_senders: async (_args, caller) => {
    const all = await senders.list(caller.organizationId);
    return { senders: all.map(publicSender), total: all.length };
  },

  create_email_sender: async ({ domainId, displayName, localPart, replyTo }, { organizationId }) => {
    assertLocalPart(localPart);
    const facts = { domainId, displayName, localPart, replyTo: readReplyTo(replyTo) };
    const { domain, status } = await domains.lock(organizationId, domainId);
    if (status !== 'VERIFIED') throw new ToolError('SENDER_DOMAIN_UNVERIFIED', { domain });
    return { sender: publicSender(await senders.insert(organizationId, facts)) };
  },
});
