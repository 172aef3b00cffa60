import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { domainEnvironment } from './config.js';

await runProcess(() => {
  const config = readEnvironment(domainEnvironment);
  return { log: createLogger('domain', config.LOG_LEVEL), start: () => boot(config) };
});
