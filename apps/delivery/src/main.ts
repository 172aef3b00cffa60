import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { deliveryEnvironment } from './config.js';

await runProcess(() => {
  const config = readEnvironment(deliveryEnvironment);
  return { log: createLogger('delivery', config.LOG_LEVEL), start: () => boot(config) };
});
