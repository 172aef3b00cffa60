import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { whenReachable } from './when-reachable.js';

const failure = (code: string | undefined, message = code!) => Object.assign(new Error(message), { code });

/** Fails once for each error, then connects. */
const failing = (...errors: Error[]) =>
  jest.fn<() => Promise<string>>(() => {
    const error = errors.shift();
    return error ? Promise.reject(error) : Promise.resolve('connected');
  });

describe('a connection that waits for its server', () => {
  const open: (Server | Socket)[] = [];
  afterEach(() => {
    jest.useRealTimers();
    for (const one of open.splice(0)) 'destroy' in one ? one.destroy() : one.close();
  });

  it.each([
    ...[
      'ENOTFOUND',
      'EAI_AGAIN',
      'ECONNREFUSED',
      'ECONNRESET',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ETIMEDOUT',
      '57P03',
    ].map((code) => failure(code)),
    failure(undefined, 'Connection terminated unexpectedly'),
    failure(undefined, 'timeout expired'),
  ])('waits out %s', async (error) => {
    jest.useFakeTimers();
    const attempt = failing(error, error);
    const connected = whenReachable(attempt, { waitMs: 10_000 });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(await connected).toBe('connected');
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  it('fails at once for what waiting does not mend', async () => {
    const attempt = failing(failure('28P01', 'password authentication failed'));
    await expect(whenReachable(attempt, { waitMs: 10_000 })).rejects.toThrow('password authentication failed');
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  it('fails with the last reason when the time is over, and reports each reason once', async () => {
    jest.useFakeTimers();
    const report = jest.fn();
    const [name, port] = [failure('ENOTFOUND'), failure('ECONNREFUSED')];
    const attempt = failing(name, name, port, port, port, port, port);
    const connected = expect(whenReachable(attempt, { waitMs: 4_000, report })).rejects.toBe(port);
    await jest.advanceTimersByTimeAsync(5_000);
    await connected;
    expect(report.mock.calls).toEqual([[name], [port]]);
  });

  it('is made to a real server whose port opens later', async () => {
    const target = new URL(process.env.DATABASE_URL!);
    const reserved = createServer();
    await once(reserved.listen(0, '127.0.0.1'), 'listening');
    const { port } = reserved.address() as AddressInfo;
    await new Promise((resolve) => reserved.close(resolve));
    const proxy = createServer((socket) => {
      const onward = connect(Number(target.port), target.hostname);
      open.push(socket, onward);
      socket.pipe(onward).pipe(socket);
      for (const one of [socket, onward]) one.on('error', () => undefined);
    });
    open.push(proxy);
    const url = new URL(target);
    url.host = `127.0.0.1:${port}`;
    const client = await whenReachable(
      async () => {
        const one = new pg.Client({ connectionString: url.toString() });
        await one.connect();
        return one;
      },
      { waitMs: 30_000, report: () => proxy.listen(port, '127.0.0.1') },
    );
    const { rows } = await client.query<{ one: number }>('select 1 as one');
    expect(rows).toEqual([{ one: 1 }]);
    await client.end();
  });
});
