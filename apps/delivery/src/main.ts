import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { deliveryEnvironment } from './config.js';

const config = readEnvironment(deliveryEnvironment);
await runProcess(createLogger('delivery', config.LOG_LEVEL), () => boot(config));
