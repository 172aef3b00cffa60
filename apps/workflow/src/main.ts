import { createLogger, runProcess } from '#observability';
import { readEnvironment, serviceEnvironment } from '#service-host';
import { boot } from './boot.js';

await runProcess(() => {
  const config = readEnvironment(serviceEnvironment);
  return { log: createLogger('workflow', config.LOG_LEVEL), start: () => boot(config) };
});
