export * from './public-address.js';
export * from './public-fetcher.client.js';
