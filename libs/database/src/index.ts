export * from './ids.js';
export * from './named.repository.js';
export * from './partitions.js';
export * from './schema-dump.js';
export * from './schema-migrator.js';
export * from './shared-tables.js';
export * from './tally.repository.js';
export * from './unique-violation.js';
