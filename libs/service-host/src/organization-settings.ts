import type { ServiceBus } from '#bus';
import { domainRequests } from '#contracts';
import type { OrganizationFacts } from '#contracts';
import { RemoteFailure } from '#tool-call';
import type { Caller } from '#tool-call';

/** Changes are broadcast; this bounds how long a lost broadcast can be felt. */
const freshMs = 30_000;
const keptMax = 10_000;

/** Settings of organizations, asked of their owner outside any transaction and kept for a short while. */
export class OrganizationSettingsCache {
  readonly #known = new Map<string, { settings: OrganizationFacts; until: number }>();
  readonly #ask;
  #changes = 0;

  constructor(bus: ServiceBus) {
    this.#ask = bus.client(domainRequests).get_organization;
    const forget = ({ organizationId }: { organizationId: string }) => {
      this.#changes++;
      this.#known.delete(organizationId);
    };
    bus.onBroadcast('organization.changed', forget, 'home');
  }

  /**
   * @returns what the owner says now or said a short while ago
   * @throws RemoteFailure when the owner does not answer and nothing is known
   */
  async find(caller: Caller): Promise<OrganizationFacts> {
    const { organizationId } = caller;
    const known = this.#known.get(organizationId);
    if (known && known.until > Date.now()) return known.settings;
    const changes = this.#changes;
    try {
      const { organization: settings } = await this.#ask({}, caller);
      // What was asked before a change is not kept after it.
      if (changes === this.#changes) this.#keep(organizationId, settings);
      return settings;
    } catch (error) {
      // An owner that is down for a moment stops nobody who was here before.
      if (known && error instanceof RemoteFailure && error.failure.code !== 'NOT_FOUND') return known.settings;
      throw error;
    }
  }

  #keep(organizationId: string, settings: OrganizationFacts): void {
    this.#known.delete(organizationId);
    this.#known.set(organizationId, { settings, until: Date.now() + freshMs });
    const oldest = this.#known.keys().next();
    if (this.#known.size > keptMax && !oldest.done) this.#known.delete(oldest.value);
  }
}
