import { bootService } from '#service-host';
import type { ServiceConfig } from '#service-host';
import { SubscriberModule } from './subscriber.module.js';

/** Starts the subscriber service in this process. */
export const boot = (config: ServiceConfig) => bootService(SubscriberModule.of(config));
