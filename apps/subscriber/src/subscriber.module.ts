import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { SharedTables1700000000000 } from '#database';
import { ServiceModule } from '#service-host';
import type { ServiceConfig, ServicePlan } from '#service-host';
import { CreateTag1700000000100 } from '../migrations/1700000000100-create-tag.js';
import { TagEntity } from './tag/tag.entity.js';
import { TagRepository } from './tag/tag.repository.js';
import { implementTagTools } from './tag/tag.tools.js';

/** The composition root: which repositories each noun's tools are given. */
export const subscriberPlan = (config: ServiceConfig): ServicePlan => ({
  service: 'subscriber',
  config,
  entities: [TagEntity],
  migrations: [SharedTables1700000000000, CreateTag1700000000100],
  tools: () => [({ manager }) => implementTagTools({ tags: new TagRepository(manager) })],
});

@Module({})
export class SubscriberModule {
  static of(config: ServiceConfig): DynamicModule {
    return ServiceModule.of(SubscriberModule, subscriberPlan(config));
  }
}
