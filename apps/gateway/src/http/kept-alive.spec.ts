import { setTimeout as sleep } from 'node:timers/promises';
import { ReadableStream } from 'node:stream/web';
import { describe, expect, it } from '@jest/globals';
import { keptAlive } from './kept-alive.js';

const event = 'data: {}\n\n';

/** Events that are told after so many milliseconds each. */
async function* told(...delays: number[]): AsyncGenerator<Uint8Array> {
  for (const ms of delays) {
    await sleep(ms);
    yield new TextEncoder().encode(event);
  }
}

const textOf = async (stream: ReadableStream<Uint8Array>) => {
  let text = '';
  for await (const chunk of stream) text += new TextDecoder().decode(chunk);
  return text;
};

describe('a stream of events', () => {
  it('has comments where nothing is told for long, and ends with the events', async () => {
    const text = await textOf(keptAlive(ReadableStream.from(told(0, 120)), 20));
    expect(text).toMatch(/^data: \{\}\n\n(?:: waiting\n\n){2,6}data: \{\}\n\n$/);
  });

  it('has none where events follow each other', async () => {
    expect(await textOf(keptAlive(ReadableStream.from(told(0, 5, 5)), 5_000))).toBe(event.repeat(3));
  });

  it('says nothing more to a reader that went away', async () => {
    const stream = keptAlive(ReadableStream.from(told(0, 200)), 10);
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await sleep(50);
    expect((await reader.read()).done).toBe(true);
  });
});
