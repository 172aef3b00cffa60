import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { campaignEnvironment } from './config.js';

await runProcess(() => {
  const config = readEnvironment(campaignEnvironment);
  return { log: createLogger('campaign', config.LOG_LEVEL), start: () => boot(config) };
});
