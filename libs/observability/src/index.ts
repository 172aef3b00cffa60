export * from './health-server.js';
export * from './logger.js';
export * from './metrics.js';
export * from './nest-logger.js';
export type { Running } from './running.js';
export type { OpenSpan, SpanAttributes, SpanFacts } from './span.js';
export * from './tracing.js';
