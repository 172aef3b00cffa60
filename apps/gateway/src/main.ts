import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { gatewayEnvironment } from './config.js';

const config = readEnvironment(gatewayEnvironment);
await runProcess(createLogger('gateway', config.LOG_LEVEL), () => boot(config));
