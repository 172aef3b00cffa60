import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { campaignEnvironment } from './config.js';
import { CampaignModule } from './campaign.module.js';
import type { CampaignConfig } from './config.js';

/** Starts the campaign service in this process. */
export const boot = (config: CampaignConfig) => bootService(CampaignModule.of(config));

/** Reads and checks the settings of this process before it starts. */
export const prepare = (): Preparation => {
  const config = readEnvironment(campaignEnvironment);
  return { log: createLogger('campaign', config.LOG_LEVEL), start: () => boot(config) };
};
