import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { campaignEnvironment } from './config.js';

const config = readEnvironment(campaignEnvironment);
await runProcess(createLogger('campaign', config.LOG_LEVEL), () => boot(config));
