import { bootService } from '#service-host';
import type { DomainConfig } from './config.js';
import { DomainModule } from './domain.module.js';

/** Starts the domain service in this process. */
export const boot = (config: DomainConfig) => bootService(DomainModule.of(config));
