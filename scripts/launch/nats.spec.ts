import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findNatsServer } from './nats-binaries.mjs';
import { askNats, checkNats, isNewEnough } from './nats-probe.mjs';
import { provideNats } from './nats.mjs';

// Fetching and first starts take their time on a busy machine.
jest.setTimeout(120_000);

const key = '5a'.repeat(32);
const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const environment = { ...process.env };
const cleanups: (() => unknown)[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidings spec-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
});

afterEach(async () => {
  process.env = { ...environment };
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function provided(options: Partial<Parameters<typeof provideNats>[0]>) {
  const server = await provideNats({ dataDir: path.join(folder, 'data'), key, ...options });
  cleanups.push(() => server.stop());
  return server;
}

/** An empty cache; afterwards only what the test puts there is found. */
function ownCache(): string {
  process.env.XDG_CACHE_HOME = path.join(folder, 'cache');
  process.env.DATA_DIR = path.join(folder, 'data');
  const cache = path.join(folder, 'cache/tidings');
  mkdirSync(cache, { recursive: true });
  return cache;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** Serves an archive of the release's shape, made from the binary given. */
async function serveArchive(binary: string): Promise<{ sha256: string; requested: string[] }> {
  const name = `nats-server-v2.11.17-${platform}`;
  mkdirSync(path.join(folder, name));
  copyFileSync(binary, path.join(folder, name, 'nats-server'));
  execFileSync('tar', ['-czf', 'archive.tar.gz', name], { cwd: folder });
  const archive = readFileSync(path.join(folder, 'archive.tar.gz'));
  const requested: string[] = [];
  const port = await listening(
    createServer((request, response) => {
      requested.push(request.url ?? '');
      response.end(archive);
    }),
  );
  process.env.TIDINGS_NATS_ARCHIVE_BASE = `http://127.0.0.1:${port}/download`;
  return { sha256: createHash('sha256').update(archive).digest('hex'), requested };
}

/** A server that introduces itself and agrees to everything. */
function pretending(info: object): Promise<number> {
  return listening(
    createTcpServer((socket) => {
      socket.write(`INFO ${JSON.stringify(info)}\r\n`);
      socket.on('data', () => socket.write('PONG\r\n')).on('error', () => undefined);
    }),
  );
}

describe('providing NATS', () => {
  it('uses the server of NATS_URL as it is', async () => {
    const server = await provided({ forced: 'url', given: process.env.NATS_URL });
    expect(server.url).toBe(process.env.NATS_URL);
    await server.stop();
    expect((await askNats(server.url)).jetstream).toBe(true);
  });

  it('starts the nats-server on PATH, in a path with a space', async () => {
    const { file, version } = await findNatsServer();
    copyFileSync(file, path.join(folder, 'nats-server'));
    process.env.PATH = `${folder}:${process.env.PATH}`;
    const { url, label } = await provided({ forced: 'path' });
    expect(label).toBe(`nats-server ${version} (${folder}/nats-server)`);
    expect(await askNats(url)).toEqual({ version, jetstream: true, maxPayloadBytes: 8 * 1024 * 1024 });
    await expect(askNats(url.replace(/\/\/[^@]+@/, '//wrong@'))).rejects.toThrow(/Authorization Violation/);
  });

  it('starts a cached copy', async () => {
    const { file, version } = await findNatsServer();
    copyFileSync(file, path.join(ownCache(), `nats-server-${version}`));
    expect((await provided({ forced: 'cache' })).label).toBe(`nats-server ${version} (cache)`);
  });

  it('fetches the pinned release archive and keeps it in the cache', async () => {
    const { file, version } = await findNatsServer();
    const cache = ownCache();
    const { sha256, requested } = await serveArchive(file);
    const { label } = await provided({ forced: 'archive', archiveSums: { [platform]: sha256 } });
    expect(requested).toEqual([`/download/v2.11.17/nats-server-v2.11.17-${platform}.tar.gz`]);
    expect(label).toBe(`nats-server ${version} (archive)`);
    expect(existsSync(path.join(cache, 'nats-server-2.11.17'))).toBe(true);
  });

  it('refuses an archive of another checksum', async () => {
    const { file } = await findNatsServer();
    const cache = ownCache();
    await serveArchive(file);
    await expect(provided({ forced: 'archive' })).rejects.toThrow(/SHA-256 is [0-9a-f]{64}, expected was/);
    expect(existsSync(path.join(cache, 'nats-server-2.11.17'))).toBe(false);
  });

  it('takes it out of the package of apt without installing it, or says that there is no apt', async () => {
    const cache = ownCache();
    const attempt = provided({ forced: 'apt' });
    if (!existsSync('/usr/bin/apt-get')) return expect(attempt).rejects.toThrow(/apt: .*\n.*on PATH/);
    const { label } = await attempt;
    const version = /^nats-server (\S+) \(apt\)$/.exec(label)?.[1] ?? '';
    expect(isNewEnough(version)).toBe(true);
    expect(existsSync(path.join(cache, `nats-server-${version}`))).toBe(true);
  });

  it('adopts its server when that still runs, and starts it again at its address', async () => {
    const first = await provided({});
    const second = await provided({});
    expect(second.running).toMatchObject({ record: first.running?.record, port: first.running?.port });
    process.kill(first.running?.record.pid ?? 0, 'SIGKILL');
    await first.running?.exited;
    await second.restart();
    expect((await askNats(first.url)).jetstream).toBe(true);
  });

  it('reports every attempt, and the command that helps', async () => {
    const cache = ownCache();
    const old = path.join(cache, 'nats-server-2.9.10');
    writeFileSync(old, '#!/bin/sh\necho nats-server: v2.9.10\n', { mode: 0o755 });
    await expect(provided({ forced: 'cache' })).rejects.toThrow(
      `No nats-server of version 2.10.23 or newer was found.\n  cache: ${old} is 2.9.10\n`,
    );
    await expect(provided({ forced: 'brew' })).rejects.toThrow('it takes url, path, cache, archive or apt');
    await expect(provided({ forced: 'url' })).rejects.toThrow('needs NATS_URL');
  });
});

describe('judging a server that others run', () => {
  it.each([
    [{ version: '2.10.22', jetstream: true, max_payload: 8388608 }, /nats-server 2\.10\.22; Tidings needs 2\.10\.23/],
    [{ version: '2.11.0', max_payload: 8388608 }, /JetStream is off/],
    [{ version: '2.11.0', jetstream: true, max_payload: 1048576 }, /its max_payload is 1048576/],
  ])('refuses %j', async (info, problem) => {
    const port = await pretending(info);
    await expect(checkNats(`nats://127.0.0.1:${port}`, 'The server')).rejects.toThrow(problem);
  });

  it('is content with one member of a cluster that answers', async () => {
    const port = await pretending({ version: '2.12.1', jetstream: true, max_payload: 8388608 });
    expect(await checkNats(`nats://127.0.0.1:1,nats://127.0.0.1:${port}`, 'The server')).toBe('2.12.1');
    await expect(checkNats('nats://127.0.0.1:1', 'The server')).rejects.toThrow(/does not answer/);
  });
});
