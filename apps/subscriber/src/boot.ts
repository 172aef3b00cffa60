import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { subscriberEnvironment } from './config.js';
import type { SubscriberConfig } from './config.js';
import { SubscriberModule } from './subscriber.module.js';

/** Starts the subscriber service in this process. */
export const boot = (config: SubscriberConfig) => bootService(SubscriberModule.of(config));

/** Reads the settings of this process, which it starts with when it may. */
export const prepare = (): Preparation => {
  const config = readEnvironment(subscriberEnvironment);
  return { log: createLogger('subscriber', config.LOG_LEVEL), start: () => boot(config) };
};
