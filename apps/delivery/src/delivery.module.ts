import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { SharedTables1700000000000 } from '#database';
import { ServiceModule } from '#service-host';
import type { ServicePlan } from '#service-host';
import { CreateSend1700000000400 } from '../migrations/1700000000400-create-send.js';
import type { DeliveryConfig } from './config.js';
import { MessageRepository } from './message/message.repository.js';
import { SendRepository } from './send/send.repository.js';
import { implementSendRequests } from './send/send.requests.js';

/** The composition root: which repositories each noun's requests are given, and what works in the background. */
export const deliveryPlan = (config: DeliveryConfig): ServicePlan<DeliveryConfig> => ({
  service: 'delivery',
  config,
  entities: [],
  migrations: [SharedTables1700000000000, CreateSend1700000000400],
  tools: () => [
    ({ manager }) =>
      implementSendRequests({ sends: new SendRepository(manager), messages: new MessageRepository(manager) }),
  ],
});

@Module({})
export class DeliveryModule {
  static of(config: DeliveryConfig): DynamicModule {
    return ServiceModule.of(DeliveryModule, deliveryPlan(config));
  }
}
