import { campaignTools } from '#contracts';
import { implement } from '#tool-call';
import { editingHandlers } from './campaign-editing.tools.js';
import { progressHandlers } from './campaign-progress.tools.js';
import { readingHandlers } from './campaign-query.tools.js';
import { schedulingDescriptions, schedulingHandlers } from './campaign-scheduling.tools.js';
import { testingHandlers } from './campaign-testing.tools.js';
import type { CampaignDependencies } from './campaign.service.js';

export const implementCampaignTools = (parts: CampaignDependencies) =>
  implement(
    campaignTools,
    {
      ...editingHandlers(parts),
      ...readingHandlers(parts),
      ...progressHandlers(parts),
      ...schedulingHandlers(parts),
      ...testingHandlers(parts),
    },
    schedulingDescriptions(parts),
  );
