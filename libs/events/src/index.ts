export * from './apply-envelopes.js';
export * from './consumer.js';
export * from './dead-letter.repository.js';
export * from './lane.js';
export * from './outbox.js';
export * from './outbox.repository.js';
export * from './outbox-publisher.js';
export * from './transient.js';
