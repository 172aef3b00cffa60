export * from './bus.js';
export * from './bus-server.js';
export * from './choices.js';
export * from './confirmation-bucket.js';
export * from './namespace.js';
export * from './placement.js';
export * from './streams.js';
