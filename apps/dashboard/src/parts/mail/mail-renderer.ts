import { startWorker } from '../own-worker.js';
import type { NumberedReply, NumberedRequest } from './mail.worker.js';
import workerAddress from './mail.worker.ts?worker&url';
import type { RenderReply, RenderRequest } from './render-source.js';

/** One worker for all previews of a page. */
let worker: Worker | null = null;
const waiting = new Map<number, (reply: RenderReply | null) => void>();
let last = 0;

/** Renders a mail outside of the page's thread. @returns null when it failed */
export async function renderInWorker(request: RenderRequest): Promise<RenderReply | null> {
  worker ??= startRenderer();
  const number = ++last;
  const running = worker;
  return await new Promise((resolve) => {
    waiting.set(number, resolve);
    running.postMessage({ number, request } satisfies NumberedRequest);
  });
}

function startRenderer(): Worker {
  const started = startWorker(workerAddress);
  started.onmessage = ({ data: { number, reply } }: MessageEvent<NumberedReply>) => {
    waiting.get(number)?.(reply);
    waiting.delete(number);
  };
  // It could not be loaded, or rendering failed: the next mail begins with another.
  started.onerror = () => {
    started.terminate();
    worker = null;
    for (const give of waiting.values()) give(null);
    waiting.clear();
  };
  return started;
}
