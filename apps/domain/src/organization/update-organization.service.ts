import type { ServiceBus } from '#bus';
import { timezoneNamed } from '#tool-call';
import type { InTransaction, Repositories } from '../repositories.js';
import type { Organization } from './organization.js';
import type { OrganizationChange } from './organization.repository.js';

export interface UpdateDependencies {
  inTransaction: InTransaction;
  bus: ServiceBus;
}

/**
 * Changes the given fields, then notifies the services that keep settings or limits of the organization. A new name
 * also renames the sandbox sender, unless it was given another name.
 * @param check of the organization before it changes, within the transaction
 */
export async function updateOrganization(
  { inTransaction, bus }: UpdateDependencies,
  organizationId: string,
  change: OrganizationChange,
  check?: (repositories: Repositories) => Promise<void>,
): Promise<Organization> {
  const timezone = change.timezone === undefined ? undefined : timezoneNamed(change.timezone);
  const organization = await inTransaction(async (repositories) => {
    const { organizations, senders } = repositories;
    await check?.(repositories);
    if (change.name !== undefined) {
      const { name } = await organizations.get(organizationId);
      await senders.updateSandboxName(organizationId, name, change.name);
    }
    return await organizations.update(organizationId, { ...change, timezone });
  });
  bus.broadcast('organization.changed', { organizationId: organization.id });
  return organization;
}
