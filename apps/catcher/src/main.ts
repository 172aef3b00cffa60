import { createLogger, runProcess } from '#observability';
import { boot } from './boot.js';
import { readConfig } from './config.js';

await runProcess(() => {
  const { logLevel, ...config } = readConfig();
  const log = createLogger('catcher', logLevel);
  const start = async () => {
    const { stop, ...facts } = await boot(config);
    log.info(facts, 'catching mail');
    return { stop, facts };
  };
  return { log, start };
});
