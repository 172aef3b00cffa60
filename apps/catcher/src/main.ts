import { createLogger, runProcess } from '#observability';
import { boot } from './boot.js';
import { readConfig } from './config.js';

const { logLevel, ...config } = readConfig();
const log = createLogger('catcher', logLevel);
await runProcess(log, async () => {
  const { stop, ...facts } = await boot(config);
  log.info(facts, 'catching mail');
  return { stop, facts };
});
