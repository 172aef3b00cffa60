import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLogger } from '#observability';
import { SendThreads } from '../src/send/relay/send-threads.worker.js';

/** Threads run the compiled build, also where a test runs sources. */
export const renderThread = pathToFileURL(
  join(process.env.TIDINGS_BUILD_DIR!, 'apps/delivery/src/send/render/render-thread.worker.js'),
);

export const sendThreads = (threads = 1): SendThreads =>
  new SendThreads({ threads, file: renderThread, log: createLogger('spec', 'silent') });
