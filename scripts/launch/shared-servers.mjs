import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
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

/**
 * PostgreSQL and NATS for tests: those of DATABASE_URL and NATS_URL, else a pair of our own under DATA_DIR/test, fast
 * instead of durable.
 * @returns {Promise<SharedServers>}
 */
export function provideTestServers() {
  return provideSharedServers('test', { forTests: true });
}

/**
 * Provides a pair of servers for runs that leave nothing behind. Overlapping runs share it. The last run to leave stops
 * it; the first run removes the remains of killed runs. The key belongs to the pair, regardless of MASTER_KEY.
 * @param {string} purpose folder below the data directory
 * @param {{ forTests: boolean }} options
 * @returns {Promise<SharedServers>}
 */
export async function provideSharedServers(purpose, { forTests }) {
  const dataDir = path.join(dataDirectory(), purpose);
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
      if (livingUsers(users) === 0) await Promise.all([postgres.stop(), nats.stop()]);
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
