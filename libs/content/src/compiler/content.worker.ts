import { parentPort } from 'node:worker_threads';
import { contentTasks } from './content-tasks.js';
import type { ContentTasks } from './content-tasks.js';

export interface ContentRequest {
  task: keyof ContentTasks;
  args: unknown[];
}

parentPort!.postMessage('ready');
parentPort!.on('message', ({ task, args }: ContentRequest) => {
  try {
    const work = contentTasks[task] as (...args: unknown[]) => unknown;
    parentPort!.postMessage({ result: work(...args) });
  } catch (error) {
    parentPort!.postMessage({ error: (error as Error).stack ?? String(error) });
  }
});
