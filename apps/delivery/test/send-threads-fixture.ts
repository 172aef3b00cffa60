import { writeFileSync } from 'node:fs';
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

/** Threads that die together when `kill` is called; those that start later live. @param folder for their program */
export function mortalThread(folder: string): { file: URL; kill: () => void } {
  const file = join(folder, 'thread.mjs');
  const order = join(folder, 'killed');
  const program = `import { existsSync } from 'node:fs';
    if (!existsSync(${JSON.stringify(order)}))
      setInterval(() => { if (existsSync(${JSON.stringify(order)})) process.exit(3); }, 10);
    await import(${JSON.stringify(renderThread.href)});`;
  writeFileSync(file, program);
  return { file: pathToFileURL(file), kill: () => writeFileSync(order, '') };
}
