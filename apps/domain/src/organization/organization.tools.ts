import { ToolError } from '#tool-call';
import type { ToolHandlers } from '../repositories.js';
import { updateOrganization } from './update-organization.service.js';
import type { UpdateDependencies } from './update-organization.service.js';
import { publicOrganization } from './organization.js';

export const organizationToolHandlers = (parts: UpdateDependencies): ToolHandlers<'update_organization_settings'> => ({
  update_organization_settings: async (change, { organizationId }) => {
    if (change.name === undefined && change.timezone === undefined) throw new ToolError('NOTHING_TO_CHANGE', {});
    return { organization: publicOrganization(await updateOrganization(parts, organizationId, change)) };
  },
});
