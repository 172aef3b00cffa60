import { bootService } from '#service-host';
import type { DeliveryConfig } from './config.js';
import { DeliveryModule } from './delivery.module.js';

/** Starts the delivery service in this process. */
export const boot = (config: DeliveryConfig) => bootService(DeliveryModule.of(config));
