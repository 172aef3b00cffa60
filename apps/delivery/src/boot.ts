import { createLogger } from '#observability';
import type { Preparation } from '#process';
import { bootService, readEnvironment } from '#service-host';
import { deliveryEnvironment } from './config.js';
import type { DeliveryConfig } from './config.js';
import { DeliveryModule } from './delivery.module.js';

export const boot = (config: DeliveryConfig) => bootService(DeliveryModule.of(config));

export const prepare = (): Preparation => {
  const config = readEnvironment(deliveryEnvironment);
  return { log: createLogger('delivery', config.LOG_LEVEL), start: () => boot(config) };
};
