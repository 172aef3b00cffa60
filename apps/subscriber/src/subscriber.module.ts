import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { SharedTables1700000000000 } from '#database';
import { ServiceModule } from '#service-host';
import type { CallContext, ServiceConfig, ServicePlan } from '#service-host';
import { CreateTag1700000000100 } from '../migrations/1700000000100-create-tag.js';
import { CreateSubscriber1700000000110 } from '../migrations/1700000000110-create-subscriber.js';
import { CreateHistory1700000000120 } from '../migrations/1700000000120-create-history.js';
import { CreateAudience1700000000130 } from '../migrations/1700000000130-create-audience.js';
import { messageHandlers } from './activity/message.consumer.js';
import { FilterEngine } from './filter/filter.engine.js';
import { FilterTargetRepository } from './filter/filter-target.repository.js';
import { implementImportTools } from './import/import.tools.js';
import { OrganizationSettingsCache } from './organization/organization.settings.js';
import { implementSegmentTools } from './segment/segment.tools.js';
import { implementSubscriberTools } from './subscriber/subscriber.tools.js';
import { implementSubscriberRequests } from './subscriber/subscriber.requests.js';
import { SubscriberWriter } from './subscriber/subscriber.writer.js';
import { TagRepository } from './tag/tag.repository.js';
import { implementTagTools } from './tag/tag.tools.js';

/** The composition root: which repositories each noun's tools are given. */
export const subscriberPlan = (config: ServiceConfig): ServicePlan => ({
  service: 'subscriber',
  config,
  migrations: [
    SharedTables1700000000000,
    CreateTag1700000000100,
    CreateSubscriber1700000000110,
    CreateHistory1700000000120,
    CreateAudience1700000000130,
  ],
  eventHandlers: () => messageHandlers,
  tools: ({ bus }) => {
    const settings = new OrganizationSettingsCache(bus);
    const engine = ({ manager }: CallContext) => new FilterEngine(new FilterTargetRepository(manager), settings);
    const writer = ({ manager, outbox }: CallContext) => new SubscriberWriter(manager, outbox);
    return [
      ({ manager }) => implementTagTools({ tags: new TagRepository(manager) }),
      (context) => implementSubscriberTools(context, { engine: engine(context), settings }),
      (context) => implementSegmentTools(context, engine),
      (context) => implementImportTools({ writer: writer(context) }),
      (context) => implementSubscriberRequests(context, engine(context)),
    ];
  },
});

@Module({})
export class SubscriberModule {
  static of(config: ServiceConfig): DynamicModule {
    return ServiceModule.of(SubscriberModule, subscriberPlan(config));
  }
}
