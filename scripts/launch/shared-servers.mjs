import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { availableMemory } from 'node:process';
import { daemonFiles, runningDaemon, stopDaemon } from './daemon.mjs';
import { withLock } from './file-lock.mjs';
import { provideNats } from './nats.mjs';
import { dataDirectory, makeDataDirectory } from './paths.mjs';
import { connectPostgres } from './postgres-check.mjs';
import { providePostgres } from './postgres.mjs';
import { isRunning, ownRecord, readJson, writeJson } from './process-record.mjs';
import { masterKey } from './secrets.mjs';

/** Migrated templates worth keeping: making one takes seconds, and branches alternate. */
const TEMPLATES_KEPT = 3;

/** @typedef {{ databaseUrl: string, natsUrl: string, masterKey: string, stop: () => Promise<void> }} SharedServers */

/** What the servers of a whole test run may take; they take about 500 MB. */
const MEMORY_NEEDED = { folder: 2e9, machine: 8e9 };

/**
 * PostgreSQL and NATS for tests: those of DATABASE_URL and NATS_URL, else a pair of our own under DATA_DIR/test, fast
 * instead of durable.
 * @param {{ isWhole?: boolean }} options isWhole: all tests are run. Where there is memory to spare, the servers store in it until they
 *   end: tests make and drop hundreds of databases of 1,400 files each.
 * @returns {Promise<SharedServers>}
 */
export function provideTestServers({ isWhole = false } = {}) {
  const folder = isWhole ? memoryFolder() : null;
  return provideSharedServers('test', { forTests: true, folder });
}

/** A folder in memory for this checkout; null where the system has none, or not enough. */
function memoryFolder() {
  const root = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(root);
    if (bavail * bsize < MEMORY_NEEDED.folder || availableMemory() < MEMORY_NEEDED.machine) return null;
    const folder = path.join(
      root,
      `tidings-${createHash('sha256').update(dataDirectory()).digest('hex').slice(0, 12)}`,
    );
    makeDataDirectory(folder);
    return folder;
  } catch {
    return null;
  }
}

/**
 * Provides a pair of servers for runs that leave nothing behind. Overlapping runs share it. The last run to leave stops
 * it; the first run removes the remains of killed runs. The key belongs to the pair, regardless of MASTER_KEY.
 * @param {string} purpose folder below the data directory
 * @param {{ forTests: boolean, folder?: string | null }} options folder: where they store instead, until the last run leaves
 * @returns {Promise<SharedServers>}
 */
export async function provideSharedServers(purpose, { forTests, folder = null }) {
  const dataDir = folder ?? path.join(dataDirectory(), purpose);
  makeDataDirectory(dataDirectory());
  makeDataDirectory(dataDir);
  const users = path.join(dataDir, 'users');
  mkdirSync(users, { recursive: true });
  const userFile = path.join(users, `${process.pid}.json`);
  const lock = path.join(dataDir, 'lock');
  const turn = { purpose: `preparing the servers in ${dataDir}`, patienceMs: 90_000 };

  return withLock(lock, turn, async () => {
    const isFirst = livingUsers(users) === 0;
    if (isFirst) await clearStreams(dataDir);
    const key = await masterKey(dataDir, { hasData: () => false });
    const { TIDINGS_POSTGRES, TIDINGS_NATS, DATABASE_URL, NATS_URL } = process.env;
    const [postgres, nats] = await Promise.all([
      providePostgres({ dataDir, key, forTests, forced: TIDINGS_POSTGRES, given: DATABASE_URL }),
      provideNats({ dataDir, key, forced: TIDINGS_NATS, given: NATS_URL }),
    ]);
    if (isFirst && postgres.running) await dropLeftDatabases(postgres.url);
    writeJson(userFile, ownRecord());
    const leave = async () => {
      rmSync(userFile, { force: true });
      if (livingUsers(users) > 0) return;
      await Promise.all([postgres.stop(), nats.stop()]);
      if (!folder) return;
      // The lock stays: another run may wait for it.
      for (const name of ['postgres', 'nats']) rmSync(path.join(folder, name), { recursive: true, force: true });
    };
    return {
      databaseUrl: postgres.url,
      natsUrl: nats.url,
      masterKey: key,
      stop: () => withLock(lock, turn, leave),
    };
  });
}

/** @param {string} folder */
function livingUsers(folder) {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  const dead = files.filter((file) => !isRunning(readJson(file)));
  for (const file of dead) rmSync(file, { force: true });
  return files.length - dead.length;
}

/** @param {string} dataDir */
async function clearStreams(dataDir) {
  const left = runningDaemon(daemonFiles(dataDir, 'nats').recordFile);
  if (left) await stopDaemon(left, { signal: 'SIGTERM', patienceMs: 10_000 });
  rmSync(path.join(dataDir, 'nats/store'), { recursive: true, force: true });
}

/** @param {string} url */
async function dropLeftDatabases(url) {
  const client = await connectPostgres(url);
  try {
    const { rows } = await client.query(
      `(select datname from pg_database where datname ~ '^tpl_' order by oid desc offset ${TEMPLATES_KEPT})
       union all select datname from pg_database where datname !~ '^(tpl_|template|postgres$|tidings$)'`,
    );
    for (const { datname } of rows) await client.query(`drop database if exists "${datname}" with (force)`);
  } finally {
    await client.end();
  }
}
