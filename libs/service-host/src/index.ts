export * from './boot.js';
export * from './call-context.js';
export * from './config.js';
export * from './dead-letter.requests.js';
export * from './executed-call.repository.js';
export * from './service.module.js';
export * from './service-plan.js';
export * from './tool-host.js';
