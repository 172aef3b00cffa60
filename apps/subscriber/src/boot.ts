import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { subscriberEnvironment } from './config.js';
import type { SubscriberConfig } from './config.js';
import { SubscriberModule } from './subscriber.module.js';

export const boot = (config: SubscriberConfig) => bootService(SubscriberModule.of(config));

export const prepare = (): Preparation => {
  const config = readEnvironment(subscriberEnvironment);
  return { log: createLogger('subscriber', config.LOG_LEVEL), start: () => boot(config) };
};
