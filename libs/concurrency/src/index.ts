export { Semaphore, SemaphoreTimeout } from './semaphore.js';
export type { SemaphoreOptions, SemaphoreRequest } from './semaphore.js';
export { FairYield, largeBodyBytes } from './fair-yield.js';
export { ThreadPool, ThreadPoolLimit } from './thread-pool.js';
export type { ThreadPoolOptions } from './thread-pool.js';
export { IdleBackoff } from './idle-backoff.js';
export type { BackoffOptions } from './idle-backoff.js';
export { WakeSignal } from './wake-signal.js';
