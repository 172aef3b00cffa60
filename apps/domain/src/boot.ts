import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { domainEnvironment } from './config.js';
import type { DomainConfig } from './config.js';
import { DomainModule } from './domain.module.js';

export const boot = (config: DomainConfig) => bootService(DomainModule.of(config));

export const prepare = (): Preparation => {
  const config = readEnvironment(domainEnvironment);
  return { log: createLogger('domain', config.LOG_LEVEL), start: () => boot(config) };
};
