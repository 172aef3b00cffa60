export { FairSemaphore, SemaphoreTimeout } from './fair-semaphore.js';
export type { FairSemaphoreOptions, SemaphoreRequest } from './fair-semaphore.js';
export { ThreadPool, ThreadPoolLimit } from './thread-pool.js';
export type { ThreadPoolOptions } from './thread-pool.js';
