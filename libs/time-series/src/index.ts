export * from './time-series.js';
