import { createLogger, runProcess } from '#observability';
import { readEnvironment } from '#service-host';
import { boot } from './boot.js';
import { workflowEnvironment } from './config.js';

await runProcess(() => {
  const config = readEnvironment(workflowEnvironment);
  return { log: createLogger('workflow', config.LOG_LEVEL), start: () => boot(config) };
});
