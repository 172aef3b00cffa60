import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { subscriberEnvironment } from './config.js';

const config = readEnvironment(subscriberEnvironment);
await runProcess(createLogger('subscriber', config.LOG_LEVEL), () => boot(config));
