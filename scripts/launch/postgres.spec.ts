import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runningDaemon } from './daemon.mjs';
import { clusterPlace, mayEnter, serverAccount } from './postgres-account.mjs';
import { localBinaries, npmBinaries } from './postgres-binaries.mjs';
import { checkPostgres, connectPostgres } from './postgres-check.mjs';
import { providePostgres } from './postgres.mjs';
import { eventually } from './process-record.mjs';

// Fetching and first starts take their time on a busy machine.
jest.setTimeout(120_000);

const key = '5a'.repeat(32);
const cleanups: (() => unknown)[] = [];

function freshDataDir(name = 'data dir'): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-spec-'));
  chmodSync(folder, 0o755);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, name);
}

async function provided(options: Partial<Parameters<typeof providePostgres>[0]> & { dataDir: string }) {
  const server = await providePostgres({ key, forTests: true, ...options });
  cleanups.push(() => server.stop());
  return server;
}

async function valueOf(url: string, statement: string): Promise<unknown> {
  const client = await connectPostgres(url);
  try {
    return Object.values((await client.query(statement)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('providing PostgreSQL', () => {
  it('uses the server of DATABASE_URL as it is', async () => {
    const server = await provided({ dataDir: freshDataDir(), forced: 'url', given: process.env.DATABASE_URL });
    expect(server.url).toBe(process.env.DATABASE_URL);
    expect(server.label).toMatch(/^PostgreSQL \d+.*\(DATABASE_URL\)$/);
    await server.stop();
    await expect(checkPostgres(server.url, 'The server')).resolves.toMatch(/^\d+/);
  });

  it('refuses a server of DATABASE_URL whose lower() is limited to ASCII', async () => {
    const { DATABASE_URL = '' } = process.env;
    const name = `spec_ascii_${process.pid}`;
    await valueOf(
      DATABASE_URL,
      `create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`,
    );
    cleanups.push(() => valueOf(DATABASE_URL, `drop database ${name}`));
    const given = new URL(DATABASE_URL);
    given.pathname = `/${name}`;
    await expect(provided({ dataDir: freshDataDir(), given: String(given) })).rejects.toThrow(
      /lower\('É'\) is not 'é'/,
    );
  });

  it.each(['foo', 'postgres://owner:pass/word@db.internal/tidings'])(
    'refuses an address that is none: %s',
    async (given) => {
      const attempt = provided({ dataDir: freshDataDir(), given });
      await expect(attempt).rejects.toThrow('The server of DATABASE_URL is unknown: the address must be postgres://');
      await expect(attempt).rejects.not.toThrow(given);
    },
  );

  it('starts the newest server installed on this machine, in a path with a space', async () => {
    const expected = localBinaries().found[0];
    const attempt = provided({ dataDir: freshDataDir(), forced: 'local' });
    if (!expected) return expect(attempt).rejects.toThrow('No PostgreSQL was found.');
    const { url } = await attempt;
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(await checkPostgres(url, 'The server')).toContain(String(expected.major));
    expect(await valueOf(url, 'show max_connections')).toBe('300');
    expect(await valueOf(url, 'show password_encryption')).toBe('scram-sha-256');
    expect(await valueOf(url, 'select datcollate from pg_database where datname = current_database()')).toBe('C');
    await expect(connectPostgres(url.replace(/:[^:@]+@/, ':wrong@'))).rejects.toThrow(/password/);
  });

  it('starts the server of the npm package, durable, and chooses it again for the data it wrote', async () => {
    const dataDir = freshDataDir();
    const { url, stop } = await provided({ dataDir, forced: 'npm', forTests: false });
    expect(await valueOf(url, "select current_setting('fsync') || current_setting('synchronous_commit')")).toBe('onon');
    await stop();
    const { label } = await provided({ dataDir, forTests: false });
    expect(label).toBe(`PostgreSQL ${npmBinaries().version} (npm package)`);
  });

  it('adopts its server while that runs, starts it again after a kill, and keeps to one address and one key', async () => {
    const dataDir = freshDataDir();
    const first = await provided({ dataDir, forTests: false });
    const adopted = await provided({ dataDir, forTests: false });
    expect(adopted.running).toMatchObject({ record: first.running?.record, port: first.running?.port });
    await expect(provided({ dataDir, forTests: false, key: 'b6'.repeat(32) })).rejects.toThrow(
      /master key does not open the database/,
    );
    expect(runningDaemon(path.join(dataDir, 'postgres.process.json'))).toBeUndefined();
    await first.restart();

    await valueOf(first.url, 'create table kept as select 42 as answer');
    const busy = valueOf(first.url, 'select pg_sleep(60)').catch((error: Error) => error);
    const sleeping = `select exists (select from pg_stat_activity where query = 'select pg_sleep(60)')`;
    expect(await eventually(async () => (await valueOf(first.url, sleeping)) === true, 30_000)).toBe(true);
    const again = runningDaemon(path.join(dataDir, 'postgres.process.json'));
    process.kill(again?.record.pid ?? 0, 'SIGKILL');
    await again?.exited;
    await first.restart();
    expect(await busy).toBeInstanceOf(Error);
    expect(await valueOf(first.url, 'select answer from kept')).toBe(42);

    await first.stop();
    expect((await provided({ dataDir, forTests: false })).url).toBe(first.url);
  });

  it('refuses the data of another major version and names both', async () => {
    const dataDir = freshDataDir();
    mkdirSync(path.join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(path.join(dataDir, 'postgres/PG_VERSION'), '14\n');
    const { version } = npmBinaries();
    await expect(provided({ dataDir, forTests: false, forced: 'npm' })).rejects.toThrow(
      new RegExp(`written by PostgreSQL 14, and here is only PostgreSQL ${version}\\.`),
    );
    expect(existsSync(path.join(dataDir, 'postgres/PG_VERSION'))).toBe(true);
  });

  it('names what a switch takes', async () => {
    await expect(provided({ dataDir: freshDataDir(), forced: 'docker' })).rejects.toThrow('it takes url, local or npm');
    await expect(provided({ dataDir: freshDataDir(), forced: 'url' })).rejects.toThrow('needs DATABASE_URL');
  });
});

describe('the place of the data', () => {
  it('is the data directory, or for root a state folder when the account may not enter it', () => {
    const dataDir = freshDataDir();
    mkdirSync(dataDir, { mode: 0o711 });
    const account = serverAccount();
    expect(clusterPlace(dataDir, account)).toBe(path.join(dataDir, 'postgres'));
    chmodSync(path.dirname(dataDir), 0o700);
    const place = clusterPlace(dataDir, account);
    if (!account) return expect(place).toBe(path.join(dataDir, 'postgres'));
    cleanups.push(() => rmSync(path.dirname(place), { recursive: true, force: true }));
    expect(mayEnter(dataDir, account)).toBe(false);
    expect(mayEnter(path.dirname(place), account)).toBe(true);
    expect(lstatSync(path.join(dataDir, 'postgres')).isSymbolicLink()).toBe(true);
    expect(clusterPlace(dataDir, account)).toBe(place);
  });

  it('works where the account may not enter the folders above', async () => {
    const dataDir = freshDataDir();
    chmodSync(path.dirname(dataDir), 0o700);
    const { url } = await provided({ dataDir });
    expect(await valueOf(url, 'select 1')).toBe(1);
    if (!serverAccount()) return;
    const place = realpathSync(path.join(dataDir, 'postgres'));
    cleanups.unshift(() => rmSync(path.dirname(place), { recursive: true, force: true }));
    expect(place).toMatch(/^\/var\/lib\/tidings\//);
  });
});
