import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runProcess } from './run-process.js';

const root = resolve(import.meta.dirname, '../../..');
const mains = readdirSync(join(root, 'apps')).filter(
  (app) => app !== 'cli' && existsSync(join(root, 'apps', app, 'src/main.ts')),
);

describe('a process', () => {
  const { disconnect } = process;
  afterEach(() => {
    jest.restoreAllMocks();
    Object.assign(process, { disconnect, exitCode: undefined });
  });

  it('whose settings are wrong says so without a stack, and ends with a status of its own', async () => {
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const leave = jest.fn();
    Object.assign(process, { disconnect: leave });
    const listeners = process.listenerCount('SIGTERM');
    const prepare = () => {
      throw new Error('SMTP_URL: Invalid URL');
    };
    await runProcess(() => Promise.resolve({ prepare }));
    expect(written.mock.calls).toEqual([['SMTP_URL: Invalid URL\n']]);
    expect(leave).toHaveBeenCalledTimes(1);
    expect(process.exitCode).toBe(78);
    expect(process.listenerCount('SIGTERM')).toBe(listeners);
  });
});

/** A process that imports only `runProcess` and takes one step for each message of its parent. */
const script = `
  import { runProcess } from ${JSON.stringify(join(process.env.TIDINGS_BUILD_DIR!, 'libs/process/src/index.js'))};
  process.on('SIGTERM', () => process.send('heard'));
  const next = () => new Promise((resolve) => process.once('message', resolve));
  const log = { bindings: () => ({ service: 'probe' }), info: () => {}, error: () => {}, fatal: () => {} };
  const stop = () => new Promise((resolve) => process.send('stopped', resolve));
  const start = async () => {
    process.send('starting');
    await next();
    return { stop };
  };
  await runProcess(async () => {
    process.send('loading');
    await next();
    return { prepare: () => ({ log, start }) };
  });
`;

/** Starts the process. @returns it, and the promise of how it ended: `[code, signal]` */
function startProbe() {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return { child, ended: once(child, 'exit') as Promise<[number | null, string | null]> };
}

describe('a process that receives a stop signal', () => {
  it('while its modules load ends without beginning, and not as if its work were done', async () => {
    const { child, ended } = startProbe();
    expect((await once(child, 'message'))[0]).toBe('loading');
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
  });

  it('while it starts finishes the start, stops, and ends well', async () => {
    const { child, ended } = startProbe();
    await once(child, 'message');
    child.send('load');
    expect((await once(child, 'message'))[0]).toBe('starting');
    child.kill('SIGTERM');
    expect((await once(child, 'message'))[0]).toBe('heard');
    const stopped = once(child, 'message');
    child.send('start');
    expect((await stopped)[0]).toBe('stopped');
    expect(await ended).toEqual([0, null]);
  });
});

describe('every service', () => {
  /** Replaces PostgreSQL and NATS: accepts connections and never answers. */
  let silent: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => new Promise((resolve) => silent.close(resolve)));

  it.each(mains)('imports nothing before it hears SIGTERM: %s', (app) => {
    const text = readFileSync(join(root, 'apps', app, 'src/main.ts'), 'utf8');
    expect(text.match(/\bimport\b.*/g)).toEqual(["import { runProcess } from '#process';", "import('./boot.js'));"]);
  });

  const waiting = mains.filter((app) => app !== 'catcher');
  it.each(waiting)('is not ended by SIGTERM in the middle of its start: %s', async (app) => {
    const { port } = silent.address() as AddressInfo;
    const child = fork(join(process.env.TIDINGS_BUILD_DIR!, 'apps', app, 'src/main.js'), [], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: `postgres://owner@127.0.0.1:${port}/tidings`,
        NATS_URL: `nats://127.0.0.1:${port}`,
        MASTER_KEY: 'ab'.repeat(32),
        PUBLIC_URL: 'http://localhost:3000',
        SMTP_URL: 'smtp://127.0.0.1:25',
        MIGRATE: 'never',
        PORT: '0',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = once(child, 'exit');
    const [socket] = (await once(silent, 'connection')) as [Socket];
    child.kill('SIGTERM');
    // What it waits for fails, so its start does.
    socket.destroy();
    silent.on('connection', (late) => late.destroy());
    expect(await ended).toEqual([1, null]);
    silent.removeAllListeners('connection').on('connection', (next) => sockets.push(next.on('error', () => undefined)));
  });
});
