import type { ServiceBus } from '#bus';
import { domainManagementTools } from '#contracts';
import { implement, pluralize, ToolError } from '#tool-call';
import type { Handlers } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import { publicSender, readReplyTo } from '../sender/sender.js';
import { publicWebDomain } from '../web-domain/web-domain.js';
import { webDomainName } from '../web-domain/web-domain-verification.service.js';
import { DomainDeletionService } from './domain-deletion.service.js';
import { readDomain } from './sending-domain.js';

interface Dependencies {
  repositories: Pick<Repositories, 'domains' | 'senders' | 'webDomains'>;
  inTransaction: InTransaction;
  bus: ServiceBus;
  sandboxSuffix: string;
  /** The name that CNAMEs of web domains must lead to. */
  webHost: string;
}

type ManagementHandlers = Handlers<typeof domainManagementTools>;
type SenderTool = 'update_email_sender' | 'delete_email_sender' | 'set_default_sender';

export function implementDomainManagementTools(parts: Dependencies) {
  const { webDomains } = parts.repositories;
  const deletion = new DomainDeletionService(parts);
  return implement(
    domainManagementTools,
    { ...domainHandlers(parts, deletion), ...senderHandlers(parts, deletion) },
    {
      delete_web_domain: async ({ domainId }, { organizationId }) => {
        const { hostname } = await webDomains.get(organizationId, webDomainName(domainId));
        const message = `Deletes the web domain ${hostname}. New mail carries the host name of this installation.`;
        return { action: 'Delete the web domain', message };
      },

      delete_domain: async ({ domainId }, caller) => {
        const { domain, own } = await deletion.getUnusedDomain(domainId, caller);
        const message = `Deletes the sending domain ${domain.domain} permanently, with ${pluralize(own.length, 'sender')} and its DKIM keys.`;
        return { action: 'Delete the sending domain', message };
      },

      delete_email_sender: async ({ senderId }, caller) => {
        const { email } = await deletion.getUnusedSender(senderId, caller);
        return { action: 'Delete the sender', message: `Deletes the sender ${email} permanently.` };
      },
    },
  );
}

const domainHandlers = (
  { repositories: { webDomains }, sandboxSuffix, webHost }: Dependencies,
  deletion: DomainDeletionService,
): Omit<ManagementHandlers, SenderTool> => ({
  create_web_domain: async ({ hostname }, { organizationId }) => {
    const made = await webDomains.insert(organizationId, readDomain(hostname, sandboxSuffix));
    return { webDomain: publicWebDomain(made, webHost) };
  },

  delete_web_domain: async ({ domainId }, { organizationId }) => {
    const { id, hostname } = await webDomains.get(organizationId, webDomainName(domainId));
    await webDomains.delete(organizationId, id);
    return { deleted: true as const, webDomain: { id, hostname } };
  },

  delete_domain: async ({ domainId }, caller) => ({
    deleted: true as const,
    senders: await deletion.deleteDomain(domainId, caller),
  }),
});

const senderHandlers = (
  { repositories: { senders }, inTransaction }: Dependencies,
  deletion: DomainDeletionService,
): Pick<ManagementHandlers, SenderTool> => ({
  update_email_sender: async ({ senderId, displayName, replyTo }, { organizationId }) => {
    if (displayName === undefined && replyTo === undefined) throw new ToolError('NOTHING_TO_CHANGE', {});
    const before = await senders.find(organizationId, senderId);
    if (!before) throw new ToolError('SENDER_NOT_FOUND', { id: senderId });
    const change = {
      displayName: displayName ?? before.displayName,
      replyTo: replyTo === undefined ? before.replyTo : readReplyTo(replyTo),
    };
    await senders.update(organizationId, senderId, change);
    return { sender: publicSender({ ...before, ...change }) };
  },

  delete_email_sender: async ({ senderId }, caller) => {
    const sender = await deletion.getUnusedSender(senderId, caller);
    await inTransaction((within) => within.senders.delete(caller.organizationId, sender.id));
    return { deleted: true as const, sender: publicSender(sender) };
  },

  set_default_sender: async ({ senderId }, { organizationId }) => {
    const known = await senders.find(organizationId, senderId);
    const sender = known && (await senders.updateDefault(known.id));
    if (!sender) throw new ToolError('SENDER_NOT_FOUND', { id: senderId });
    return { sender: publicSender(sender) };
  },
});
