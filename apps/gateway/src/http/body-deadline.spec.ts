import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { limitBody, UploadDeadline } from './body-deadline.js';

const rate = { bytesPerSecond: 64_000, windowMs: 30_000, totalMs: 7_200_000 };

/** A request whose body has not arrived yet. */
class FakeRequest extends EventEmitter {
  complete = false;
  readonly ended: unknown[] = [];
  readonly socket = { server: { emit: (_event: string, error: { code: string }) => this.ended.push(error.code) } };
}

describe('the time of a body', () => {
  let request: FakeRequest;
  let message: IncomingMessage;
  beforeEach(() => {
    jest.useFakeTimers();
    request = new FakeRequest();
    message = request as unknown as IncomingMessage;
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends the connection of a body that has not arrived within 60 s', () => {
    limitBody(message);
    jest.advanceTimersByTime(59_999);
    expect(request.ended).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(request.ended).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
  });

  it('leaves a request alone whose body is complete or whose connection is closed', () => {
    limitBody(message);
    request.complete = true;
    jest.advanceTimersByTime(60_000);
    const closed = new FakeRequest();
    limitBody(closed as unknown as IncomingMessage);
    closed.emit('close');
    jest.advanceTimersByTime(60_000);
    expect([request.ended, closed.ended]).toEqual([[], []]);
  });

  it('lets an upload last as long as it brings 64 kB/s in each 30 s, for at most two hours', () => {
    limitBody(message);
    const deadline = new UploadDeadline(message, rate);
    for (let window = 1; window < 240; window++) {
      deadline.add(1_920_000);
      jest.advanceTimersByTime(30_000);
      expect(request.ended).toEqual([]);
    }
    deadline.add(1_920_000);
    jest.advanceTimersByTime(30_000);
    expect(request.ended).toHaveLength(1);
  });

  it('ends an upload below 64 kB/s after 30 s', () => {
    const deadline = new UploadDeadline(message, rate);
    deadline.add(1_919_999);
    jest.advanceTimersByTime(30_000);
    expect(request.ended).toHaveLength(1);
  });

  it('does not count the time in which the reader works', async () => {
    const deadline = new UploadDeadline(message, rate);
    let finish: () => void = () => undefined;
    const working = deadline.pause(() => new Promise<void>((resolve) => (finish = resolve)));
    jest.advanceTimersByTime(30_000);
    expect(request.ended).toEqual([]);
    finish();
    await working;
    jest.advanceTimersByTime(30_000);
    expect(request.ended).toHaveLength(1);
  });
});
