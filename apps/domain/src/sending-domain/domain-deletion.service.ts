import type { ServiceBus } from '#bus';
import { ToolError } from '#tool-call';
import type { Caller } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import type { StoredSender } from '../sender/sender.js';
import { DomainUsersClient } from './domain-users.client.js';
import type { SendingDomain } from './sending-domain.js';

interface Dependencies {
  repositories: Pick<Repositories, 'domains' | 'senders'>;
  inTransaction: InTransaction;
  bus: ServiceBus;
}

/** Deletes sending domains and senders that no campaign and no workflow uses. */
export class DomainDeletionService {
  readonly #users: DomainUsersClient;

  constructor(private readonly parts: Dependencies) {
    this.#users = new DomainUsersClient(parts.bus);
  }

  /** A domain that may be deleted, with its senders. */
  async getUnusedDomain(domainId: string, caller: Caller): Promise<{ domain: SendingDomain; own: StoredSender[] }> {
    const { domains, senders } = this.parts.repositories;
    const domain = await domains.get(caller.organizationId, domainId);
    if (domain.sandbox) throw new ToolError('DOMAIN_SANDBOX', { domain: domain.domain });
    const own = (await senders.list(caller.organizationId)).filter((sender) => sender.domainId === domain.id);
    const users = await this.#users.list([domain.id, ...own.map(({ id }) => id)], caller);
    if (users.length > 0) throw new ToolError('DOMAIN_IN_USE', { name: domain.domain, users });
    return { domain, own };
  }

  async getUnusedSender(senderId: string, caller: Caller): Promise<StoredSender> {
    const sender = await this.parts.repositories.senders.find(caller.organizationId, senderId);
    if (!sender) throw new ToolError('SENDER_NOT_FOUND', { id: senderId });
    const users = await this.#users.list([sender.id], caller);
    if (users.length > 0) throw new ToolError('SENDER_IN_USE', { name: sender.email, users });
    return sender;
  }

  /** Deletes a domain with its senders and keys. @returns how many senders @throws as `getUnusedDomain` */
  async deleteDomain(domainId: string, caller: Caller): Promise<number> {
    for (;;) {
      const deleted = await this.#tryDelete(domainId, caller);
      if (deleted !== null) return deleted;
    }
  }

  /** @returns null when the domain got another sender since its users were listed */
  async #tryDelete(domainId: string, caller: Caller): Promise<number | null> {
    const { organizationId } = caller;
    const { domain, own } = await this.getUnusedDomain(domainId, caller);
    const deleted = await this.parts.inTransaction(async ({ domains, senders, dkimKeys }) => {
      await domains.lock(organizationId, domain.id);
      const present = (await senders.list(organizationId)).filter((sender) => sender.domainId === domain.id);
      if (present.some(({ id }) => !own.some((known) => known.id === id))) return null;
      await senders.deleteOfDomain(organizationId, domain.id);
      await dkimKeys.deleteOfDomain(organizationId, domain.id);
      await domains.delete(organizationId, domain.id);
      return present.length;
    });
    if (deleted !== null) this.parts.bus.broadcast('sending-domain.changed', { organizationId, domain: domain.domain });
    return deleted;
  }
}
