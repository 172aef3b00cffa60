import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { subscriberEnvironment } from './config.js';

await runProcess(() => {
  const config = readEnvironment(subscriberEnvironment);
  return { log: createLogger('subscriber', config.LOG_LEVEL), start: () => boot(config) };
});
