import type { Repositories } from '../repositories.js';
import type { Organization } from './organization.js';
import type { OrganizationChange } from './organization.repository.js';
import { timezoneNamed } from './timezone.js';

/**
 * Changes what is given. A new name is also that of the sandbox sender, for as long as nobody named it otherwise.
 * @throws ToolError ORGANIZATION_NOT_FOUND, TIMEZONE_UNKNOWN
 */
export async function changeOrganization(
  { organizations, senders }: Repositories,
  organizationId: string,
  change: OrganizationChange,
): Promise<Organization> {
  const timezone = change.timezone === undefined ? undefined : timezoneNamed(change.timezone);
  if (change.name !== undefined) {
    const { name } = await organizations.get(organizationId);
    await senders.updateSandboxName(organizationId, name, change.name);
  }
  return await organizations.update(organizationId, { ...change, timezone });
}
