import { bootService } from '#service-host';
import { CampaignModule } from './campaign.module.js';
import type { CampaignConfig } from './config.js';

/** Starts the campaign service in this process. */
export const boot = (config: CampaignConfig) => bootService(CampaignModule.of(config));
