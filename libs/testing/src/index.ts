export * from './copy-subscribers.js';
export * from './count-statements.js';
export * from './fill-history.js';
export * from './local-bus.js';
export * from './smtp-sink.js';
export * from './system.js';
export * from './template-database.js';
export * from './until.js';
