import { bootService } from '#service-host';
import type { SubscriberConfig } from './config.js';
import { SubscriberModule } from './subscriber.module.js';

/** Starts the subscriber service in this process. */
export const boot = (config: SubscriberConfig) => bootService(SubscriberModule.of(config));
