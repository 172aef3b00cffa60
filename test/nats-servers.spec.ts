import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BusServer, connectBus, serviceCaller } from '#bus';
import type { Bus } from '#bus';
import { until } from '#testing';
import { findNatsServer } from '../scripts/launch/nats-binaries.mjs';

/** Guarantees about NATS servers that are configured as the manifests of Kubernetes do. */
const manifest = readFileSync(resolve(import.meta.dirname, '../k8s/components/nats-cluster/nats.yaml'), 'utf8');
const settings = manifest.match(/^ +(ping_\w+|lame_duck_\w+): \S+$/gm)!.map((line) => line.trim());

const open: { close(): Promise<unknown> }[] = [];
const children: ChildProcess[] = [];
let binary: string;
beforeAll(async () => {
  binary = (await findNatsServer()).file;
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  for (const child of children.splice(0)) {
    const ended = child.exitCode !== null || child.signalCode !== null ? null : once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

const answers = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    }).on('error', () => done(false));
  });

/** Starts a server; `peer` is the port of its route listener and `routes` those of others. */
async function startServer(port: number, peer: number, routes: number[] = []): Promise<ChildProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-servers-'));
  open.unshift({ close: () => Promise.resolve(rmSync(folder, { recursive: true })) });
  const urls = routes.map((one) => `"nats://127.0.0.1:${one}"`).join(' ');
  const cluster = `cluster { name: "spec", listen: "127.0.0.1:${peer}", routes: [${urls}] }`;
  const file = join(folder, 'nats.conf');
  writeFileSync(file, ['host: "127.0.0.1"', `port: ${port}`, ...settings, cluster, ''].join('\n'));
  const child = spawn(binary, ['-c', file], { stdio: 'ignore' });
  children.push(child);
  await until('the server listens', () => answers(port));
  return child;
}

async function serve(url: string, call: () => Promise<unknown>): Promise<BusServer> {
  const server = new BusServer({ url, namespace: 'spec', name: 'served', queue: 'probe' });
  server.addHandler('tools.probe.call', call as never);
  await new Promise<void>((done, fail) => {
    void server.listen((error?: unknown) => (error instanceof Error ? fail(error) : done()));
  });
  open.unshift(server);
  return server;
}

async function busTo(url: string, repeatMs = 0): Promise<Bus> {
  const bus = await connectBus({ url, namespace: 'spec', name: 'spec', repeatMs });
  open.unshift(bus);
  return bus;
}

const ask = (bus: Bus, deadlineMs = 10_000) =>
  bus.request('tools', { service: 'probe', name: 'call' }, {}, serviceCaller('', 'spec', deadlineMs));
const answered = { ok: true, data: 'answered' };

/** A process of the same queue that hangs at its first call. */
const hanging = (url: string) => `
  import { BusServer } from ${JSON.stringify(join(process.env.TIDINGS_BUILD_DIR!, 'libs/bus/src/index.js'))};
  const server = new BusServer({ url: ${JSON.stringify(url)}, namespace: 'spec', name: 'hanging', queue: 'probe' });
  server.addHandler('tools.probe.call', () => { process.send('hangs', () => { for (;;); }); return new Promise(() => {}); });
  await server.listen(() => process.send('serves'));
`;

it('a process with a blocked event loop gets no more calls after a few seconds', async () => {
  const port = await freePort();
  await startServer(port, await freePort());
  const url = `nats://127.0.0.1:${port}`;
  await serve(url, () => Promise.resolve(answered));
  const hung = spawn(process.execPath, ['--input-type=module', '--eval', hanging(url)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(hung);
  expect(await once(hung, 'message')).toContain('serves');
  const bus = await busTo(url);
  const hangs = once(hung, 'message');
  let isHung = false;
  void hangs.then(() => (isHung = true));
  await until('a call has reached the process that hangs', async () => {
    await ask(bus, 200);
    return isHung;
  });
  const since = Date.now();
  // Dealt at random: without the process, ten in a row are answered.
  await until('every call is answered by the other', async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => ask(bus, 500)));
    return outcomes.every((outcome) => outcome.ok);
  });
  // Pings go out every 3 s; the third without an answer ends the connection.
  expect(Date.now() - since).toBeLessThan(15_000);
  expect(hung.exitCode ?? hung.signalCode).toBeNull();
});

it('a server that announces its end costs no call: open ones are answered, new ones go over another', async () => {
  const [first, second, peer] = [await freePort(), await freePort(), await freePort()];
  const ending = await startServer(first, peer);
  const url = `nats://127.0.0.1:${first},nats://127.0.0.1:${second}`;
  let release: (value: typeof answered) => void = () => undefined;
  let calls = 0;
  // oxlint-disable-next-line tidings/fixed-waits -- how long a call takes its service
  await serve(url, () => (calls++ === 0 ? new Promise((done) => (release = done)) : pause(5).then(() => answered)));
  const bus = await busTo(url);
  const long = ask(bus, 30_000);
  await until('the long call is under way', () => calls === 1);
  await startServer(second, await freePort(), [peer]);
  const other = await busTo(`nats://127.0.0.1:${second}`);
  await until('the servers know of each other', async () => (await ask(other)).ok);
  const ended = once(ending, 'exit');
  let isOver = false;
  void ended.then(() => (isOver = true));
  const outcomes = new Set<string>();
  const caller = async () => {
    while (!isOver) outcomes.add(JSON.stringify(await ask(bus)));
  };
  const callers = Array.from({ length: 5 }, caller);
  ending.kill('SIGUSR2');
  await until('the server takes no new connections', async () => !(await answers(first)));
  const before = calls;
  await until('calls go on over the other server', () => calls > before + 100);
  release(answered);
  expect(await long).toEqual(answered);
  await ended;
  await Promise.all(callers);
  expect([...outcomes]).toEqual([JSON.stringify(answered)]);
  expect(calls).toBeGreaterThan(100);
  await until('the bus is back on one connection', () => bus.connected);
  expect(await ask(bus)).toEqual(answered);
});

describe('a call that no process takes', () => {
  it('is offered again until one does, if its sender repeats', async () => {
    const port = await freePort();
    await startServer(port, await freePort());
    const url = `nats://127.0.0.1:${port}`;
    const bus = await busTo(url, 20_000);
    const call = ask(bus);
    expect(await ask(await busTo(url))).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    await serve(url, () => Promise.resolve(answered));
    expect(await call).toEqual(answered);
  });

  it('is UNAVAILABLE when the time to repeat it is over, or its deadline near', async () => {
    const port = await freePort();
    await startServer(port, await freePort());
    const bus = await busTo(`nats://127.0.0.1:${port}`, 500);
    const since = Date.now();
    const unavailable = { ok: false, error: { code: 'UNAVAILABLE' } };
    expect(await ask(bus, 250)).toMatchObject(unavailable);
    expect(await ask(bus)).toMatchObject(unavailable);
    expect(Date.now() - since).toBeGreaterThan(500);
  });
});
