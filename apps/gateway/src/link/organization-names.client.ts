import { serviceCaller } from '#bus';
import type { ServiceBus } from '#bus';
import { OrganizationSettingsCache } from '#service-host';

/** A page omits the organization's name rather than wait. */
const nameMs = 1_000;

/** The names of organizations, for pages; a change is broadcast and read again at the next use. */
export class OrganizationNames {
  readonly #settings: OrganizationSettingsCache;

  constructor(bus: ServiceBus) {
    this.#settings = new OrganizationSettingsCache(bus);
  }

  /** @returns null when the name is unknown and the domain service does not answer */
  async find(organizationId: string): Promise<string | null> {
    const caller = serviceCaller(organizationId, 'organization name', nameMs);
    return await this.#settings.find(caller).then(
      ({ name }) => name,
      () => null,
    );
  }
}
