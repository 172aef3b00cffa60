import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './file-lock.mjs';
import { provideNats } from './nats.mjs';
import { dataDirectory, makeDataDirectory } from './paths.mjs';
import { providePostgres } from './postgres.mjs';
import { isRunning, ownRecord, readJson, writeJson } from './process-record.mjs';
import { masterKey } from './secrets.mjs';

/**
 * PostgreSQL and NATS for tests: those of DATABASE_URL and NATS_URL, else a pair of our own under DATA_DIR/test. Test
 * runs that overlap share the pair; the last one out stops it. The key belongs to the pair, whatever MASTER_KEY says.
 * @returns {Promise<{ databaseUrl: string, natsUrl: string, masterKey: string, stop: () => Promise<void> }>}
 */
export async function provideTestServers() {
  const dataDir = path.join(dataDirectory(), 'test');
  makeDataDirectory(dataDirectory());
  makeDataDirectory(dataDir);
  const usersFolder = path.join(dataDir, 'users');
  mkdirSync(usersFolder, { recursive: true });
  const userFile = path.join(usersFolder, `${process.pid}.json`);
  const turn = {
    purpose: `preparing the test servers in ${dataDir}`,
    patienceMs: 90_000,
  };
  const lock = path.join(dataDir, 'lock');

  return withLock(lock, turn, async () => {
    const key = await masterKey(dataDir, { hasData: () => false });
    const [postgres, nats] = await Promise.all([
      providePostgres({
        dataDir,
        key,
        forTests: true,
        forced: process.env.TIDINGS_POSTGRES,
        given: process.env.DATABASE_URL,
      }),
      provideNats({ dataDir, key, forced: process.env.TIDINGS_NATS, given: process.env.NATS_URL }),
    ]);
    writeJson(userFile, ownRecord());
    return {
      databaseUrl: postgres.url,
      natsUrl: nats.url,
      masterKey: key,
      stop: () =>
        withLock(lock, turn, async () => {
          rmSync(userFile, { force: true });
          if (livingUsers(usersFolder) === 0) await Promise.all([postgres.stop(), nats.stop()]);
        }),
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
