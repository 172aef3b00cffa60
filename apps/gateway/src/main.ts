import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { gatewayEnvironment } from './config.js';

await runProcess(() => {
  const config = readEnvironment(gatewayEnvironment);
  return { log: createLogger('gateway', config.LOG_LEVEL), start: () => boot(config) };
});
