import { ToolError } from '#tool-call';
import type { ToolAnswers } from '../repositories.js';
import { changeOrganization } from './organization.change.js';
import type { ChangeParts } from './organization.change.js';
import { publicOrganization } from './organization.js';

export const answerOrganizationTools = (parts: ChangeParts): ToolAnswers<'update_organization_settings'> => ({
  update_organization_settings: async (change, { organizationId }) => {
    if (change.name === undefined && change.timezone === undefined) throw new ToolError('NOTHING_TO_CHANGE', {});
    return { organization: publicOrganization(await changeOrganization(parts, organizationId, change)) };
  },
});
