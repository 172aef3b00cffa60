import { ReadableStream } from 'node:stream/web';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { keptAlive } from './sse-keep-alive.js';

const event = 'data: {}\n\n';
const comment = ': waiting\n\n';

/** A stream that the test writes, and the text that its reader has read. */
function conversation(everyMs: number) {
  let source!: ReadableStreamDefaultController<Uint8Array>;
  const reader = keptAlive(
    new ReadableStream({ start: (controller) => void (source = controller) }),
    everyMs,
  ).getReader();
  const heard = { text: '', ended: false };
  const listen = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      heard.text += new TextDecoder().decode(next.value);
    heard.ended = true;
  };
  return {
    tell: () => source.enqueue(new TextEncoder().encode(event)),
    end: () => source.close(),
    heard,
    listen,
    reader,
  };
}

describe('a stream of events', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('sends comments during silence, and ends with the events', async () => {
    const { tell, end, heard, listen } = conversation(20_000);
    const heardAll = listen();
    tell();
    await jest.advanceTimersByTimeAsync(59_000);
    tell();
    await jest.advanceTimersByTimeAsync(1_000);
    end();
    await heardAll;
    expect(heard.text).toBe(`${event}${comment}${comment}${event}`);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('has none where events follow each other', async () => {
    const { tell, heard, listen } = conversation(20_000);
    void listen();
    for (let events = 0; events < 10; events++) {
      tell();
      await jest.advanceTimersByTimeAsync(19_000);
    }
    expect(heard.text).toBe(event.repeat(10));
  });

  it('keeps one comment at most for a reader that does not read', async () => {
    const { heard, listen } = conversation(20_000);
    await jest.advanceTimersByTimeAsync(200_000);
    void listen();
    await jest.advanceTimersByTimeAsync(0);
    expect(heard.text).toBe(comment);
  });

  it('says nothing more to a reader that went away', async () => {
    const { reader } = conversation(20_000);
    await reader.cancel();
    await jest.advanceTimersByTimeAsync(60_000);
    expect((await reader.read()).done).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });
});
