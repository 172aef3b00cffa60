import { parentPort } from 'node:worker_threads';
import { prepareBatch, writeBatch } from './batch-preparation.js';
import type { PreparationRequest } from './batch-preparation.js';

parentPort!.postMessage('ready');
parentPort!.on('message', (request: PreparationRequest) => {
  try {
    parentPort!.postMessage({ result: writeBatch(request.records, prepareBatch(request)) });
  } catch (error) {
    parentPort!.postMessage({ error: (error as Error).stack ?? String(error) });
  }
});
