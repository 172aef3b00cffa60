import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { domainEnvironment } from './config.js';

const config = readEnvironment(domainEnvironment);
await runProcess(createLogger('domain', config.LOG_LEVEL), () => boot(config));
