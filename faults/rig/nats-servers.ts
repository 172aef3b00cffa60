import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from '#testing';
import { launcher } from './servers.js';

export interface NatsOptions {
  /** One, or three that form a cluster. */
  servers: 1 | 3;
  /** Megabytes of a volume of its own for the store, which needs the right to mount; without it the store is in a folder. */
  diskMegabytes?: number;
}

/** NATS servers with the settings of the manifests of Kubernetes, each of which may be killed and started again. */
export interface NatsServers {
  /** Of all servers, separated by commas. */
  url: string;
  names: readonly string[];
  /** Contains the store of each server by its name. */
  storeFolder: string;
  kill(name: string): void;
  /** Returns once the server accepts connections. */
  restart(name: string): Promise<void>;
  stop(): Promise<void>;
}

const clusterNames = ['one', 'two', 'three'];

/** Starts servers that a run has for itself. */
export async function startNatsServers({ servers, diskMegabytes }: NatsOptions): Promise<NatsServers> {
  const { findNatsServer } = await launcher<{ findNatsServer(): Promise<{ file: string }> }>('nats-binaries.mjs');
  const { file: binary } = await findNatsServer();
  const folder = mkdtempSync(join(tmpdir(), 'nats-servers-'));
  const storeFolder = join(folder, 'store');
  mkdirSync(storeFolder);
  if (diskMegabytes !== undefined) mount(storeFolder, diskMegabytes);
  const ports = await writeConfigurations(folder, clusterNames.slice(0, servers));
  const children = new Map<string, ChildProcess>();
  const start = (name: string) => {
    children.set(name, spawn(binary, ['-c', join(folder, `${name}.conf`)], { stdio: 'ignore' }));
    return until(`the server ${name} listens`, () => accepts(ports.get(name)!));
  };
  const kill = (name: string) => void children.get(name)!.kill('SIGKILL');
  // Also where the rig ends by a signal.
  const remove = () => {
    for (const name of children.keys()) kill(name);
    if (diskMegabytes !== undefined) execFileSync('umount', ['--lazy', storeFolder]);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  await Promise.all([...ports.keys()].map(start));
  return {
    url: [...ports.values()].map((port) => `nats://127.0.0.1:${port}`).join(','),
    names: [...ports.keys()],
    storeFolder,
    kill,
    restart: async (name) => {
      await ended(children.get(name)!);
      await start(name);
    },
    stop: async () => {
      for (const [name, child] of children) {
        kill(name);
        await ended(child);
      }
      process.off('exit', remove);
      remove();
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

function mount(folder: string, megabytes: number): void {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', folder], { stdio: 'pipe' });
  } catch (error) {
    throw new Error('A volume for the store of NATS cannot be mounted: run this as root.', { cause: error });
  }
}

/** What the manifests set, apart from addresses and paths. */
export const manifestSettings = (): string[] =>
  readFileSync(resolve('k8s/components/nats-cluster/nats.yaml'), 'utf8')
    .match(/^ +(max_payload|ping_\w+|lame_duck_\w+): \S+$/gm)!
    .map((line) => line.trim());

/** @returns the port of each server */
async function writeConfigurations(folder: string, names: readonly string[]): Promise<Map<string, number>> {
  const { freePort } = await launcher<{ freePort(): Promise<number> }>('daemon.mjs');
  const ports = await Promise.all(names.map(() => freePort()));
  const peers = await Promise.all(names.map(() => freePort()));
  const routes = peers.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  for (const [at, name] of names.entries()) {
    const lines = [
      `server_name: ${name}`,
      `host: "127.0.0.1"`,
      `port: ${ports[at]}`,
      ...manifestSettings(),
      `jetstream { store_dir: "${join(folder, 'store', name)}" }`,
      ...(names.length > 1 ? [`cluster { name: "rig", listen: "127.0.0.1:${peers[at]}", routes: [${routes}] }`] : []),
    ];
    writeFileSync(join(folder, `${name}.conf`), `${lines.join('\n')}\n`);
  }
  return new Map(names.map((name, at) => [name, ports[at]!]));
}

/** Whether a port of this machine accepts connections. */
export const accepts = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    }).on('error', () => done(false));
  });
