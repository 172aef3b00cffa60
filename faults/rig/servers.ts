import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A server that the rig may kill and start again at the same address. */
export interface KillableServer {
  kill(): void;
  restart(): Promise<void>;
}

/** PostgreSQL and NATS of this rig alone, as durable as an installation's. */
export interface KillableServers {
  databaseUrl: string;
  natsUrl: string;
  masterKey: string;
  postgres: KillableServer;
  nats: KillableServer;
  /** Forgets every stream and bucket, of a server that was killed. */
  emptyNats(): void;
  stop(): Promise<void>;
}

interface Provided {
  url: string;
  running: { record: { pid: number } } | undefined;
  restart(): Promise<{ record: { pid: number } }>;
  stop(): Promise<void>;
}
type Provide = (options: { dataDir: string; key: string }) => Promise<Provided>;

/** Starts a pair of servers of the rig's own, with the launcher's own providers. */
export async function startKillableServers(): Promise<KillableServers> {
  const { provideNats } = await launcher<{ provideNats: Provide }>('nats.mjs');
  const dataDir = await makeDataDir();
  const postgres = await provideOwnPostgres(dataDir);
  const nats = await provideNats({ dataDir, key: masterKey });
  return {
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    masterKey,
    postgres: killable(postgres),
    nats: killable(nats),
    emptyNats: () => rmSync(join(dataDir, 'nats', 'store'), { recursive: true, force: true }),
    stop: async () => {
      await Promise.all([postgres.stop(), nats.stop()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One more PostgreSQL, for another cell. */
export async function startKillablePostgres(): Promise<
  KillableServer & { databaseUrl: string; stop(): Promise<void> }
> {
  const dataDir = await makeDataDir();
  const postgres = await provideOwnPostgres(dataDir);
  return {
    ...killable(postgres),
    databaseUrl: postgres.url,
    stop: async () => {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const masterKey = 'fa'.repeat(32);

/** A module of the launcher, which is not compiled. */
export const launcher = async <M>(file: string) =>
  (await import(pathToFileURL(resolve('scripts/launch', file)).href)) as M;

async function makeDataDir(): Promise<string> {
  const { dataDirectory } = await launcher<{ dataDirectory: () => string }>('paths.mjs');
  return mkdtempSync(join(dataDirectory(), 'faults-'));
}

async function provideOwnPostgres(dataDir: string): Promise<Provided> {
  const { providePostgres } = await launcher<{ providePostgres: Provide }>('postgres.mjs');
  return await providePostgres({ dataDir, key: masterKey });
}

function killable(server: Provided): KillableServer {
  let pid = server.running!.record.pid;
  return {
    kill: () => void process.kill(pid, 'SIGKILL'),
    restart: async () => {
      pid = (await server.restart()).record.pid;
    },
  };
}
