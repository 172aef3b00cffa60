import { createLogger, runProcess } from '#observability';
import { readEnvironment, serviceEnvironment } from '#service-host';
import { boot } from './boot.js';

const config = readEnvironment(serviceEnvironment);
await runProcess(createLogger('workflow', config.LOG_LEVEL), () => boot(config));
