import type { ServiceBus } from '#bus';
import { domainRequests } from '#contracts';
import type { OrganizationFacts } from '#contracts';
import type { Caller } from '#tool-call';
import { ResponseCache } from './response-cache.js';

/** Settings of organizations, asked of their owner outside any transaction and kept for a short while. */
export class OrganizationSettingsCache {
  readonly #answers: ResponseCache<OrganizationFacts>;
  readonly #ask;

  constructor(bus: ServiceBus) {
    this.#ask = bus.client(domainRequests).get_organization;
    this.#answers = new ResponseCache(bus);
    const forget = ({ organizationId }: { organizationId: string }) => this.#answers.forget(organizationId);
    bus.onBroadcast('organization.changed', forget, 'home');
  }

  /**
   * @returns what the owner says now or said a short while ago
   * @throws RemoteFailure when the owner does not answer and nothing is known
   */
  async find(caller: Caller): Promise<OrganizationFacts> {
    return await this.#answers.find(caller.organizationId, async () => (await this.#ask({}, caller)).organization);
  }
}
