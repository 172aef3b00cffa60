import { ReadableStream } from 'node:stream/web';

/** Shorter than the idle timeout of proxies, usually a minute. */
const keepAliveMs = 20_000;
const comment = new TextEncoder().encode(': waiting\n\n');

/**
 * Adds comments to server-sent events (WHATWG HTML, section 9.2), so that no proxy ends a stream while a person thinks.
 * Chunks must be whole events.
 */
export function keptAlive(events: ReadableStream<Uint8Array>, everyMs = keepAliveMs): ReadableStream<Uint8Array> {
  const reader = events.getReader();
  let timer: NodeJS.Timeout;
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    // One unread comment is enough.
    timer = setInterval(() => controller.desiredSize === 0 && controller.enqueue(comment), everyMs).unref();
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const next = await reader.read().finally(() => clearInterval(timer));
    if (next.done) return controller.close();
    start(controller);
    controller.enqueue(next.value);
  };
  const cancel = (reason: unknown): Promise<void> => {
    clearInterval(timer);
    return reader.cancel(reason);
  };
  return new ReadableStream({ start, pull, cancel }, { highWaterMark: 0 });
}
