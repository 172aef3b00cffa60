import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { campaignEnvironment } from './config.js';
import { CampaignModule } from './campaign.module.js';
import type { CampaignConfig } from './config.js';

export const boot = (config: CampaignConfig) => bootService(CampaignModule.of(config));

export const prepare = (): Preparation => {
  const config = readEnvironment(campaignEnvironment);
  return { log: createLogger('campaign', config.LOG_LEVEL), start: () => boot(config) };
};
