import { rmSync } from 'node:fs';
import { finishSwap } from './backup/swap.mjs';
import { daemonFiles, runningDaemon } from './daemon.mjs';
import { makeDataDirectory, messageOf } from './paths.mjs';
import { clusterPlace, serverAccount } from './postgres-account.mjs';
import { localBinaries, npmBinaries, runnableBy } from './postgres-binaries.mjs';
import { checkPostgres } from './postgres-check.mjs';
import {
  clusterUrl,
  initCluster,
  majorOfCluster,
  OtherKeyError,
  startCluster,
  stopCluster,
} from './postgres-cluster.mjs';
import { derivedSecret, keyFingerprint } from './secrets.mjs';
import { LaunchError, progress } from './terminal.mjs';

/**
 * A server the system works on: one of our own, or one the operator runs.
 * @typedef {object} Server
 * @property {string} url
 * @property {string} label for the operator: what it is and where it came from
 * @property {import('./daemon.mjs').Running | undefined} running undefined when the operator runs it
 * @property {() => Promise<import('./daemon.mjs').Running>} restart at the same address
 * @property {(patienceMs?: number) => Promise<void>} stop after the patience it is killed
 */

/** True when the data directory already holds a database. @param {string} dataDir */
export function hasCluster(dataDir) {
  return majorOfCluster(clusterPlace(dataDir, serverAccount())) !== undefined;
}

/**
 * Provides PostgreSQL: DATABASE_URL, else binaries of this machine, else those of the npm package.
 * @param {{
 *   dataDir: string, key: string, forTests?: boolean, forced?: string | undefined, given?: string | undefined,
 *   signal?: AbortSignal,
 * }} options forced: `url`, `local` or `npm`; signal: gives up making the database
 * @returns {Promise<Server>}
 */
export async function providePostgres({ dataDir, key, forTests = false, forced, given, signal }) {
  if (forced && !['url', 'local', 'npm'].includes(forced)) {
    throw new LaunchError(`TIDINGS_POSTGRES is «${forced}»; it takes url, local or npm.`);
  }
  if (forced === 'url' && !given) throw new LaunchError('TIDINGS_POSTGRES=url needs DATABASE_URL.');
  if (given && (!forced || forced === 'url')) return externalServer(given);

  makeDataDirectory(dataDir);
  finishSwap(dataDir);
  const account = serverAccount();
  const place = clusterPlace(dataDir, account);
  const files = daemonFiles(dataDir, 'postgres');
  const existing = majorOfCluster(place);
  // Data of tests is worthless once no server runs on it.
  const isWorthless = forTests && !runningDaemon(files.recordFile);
  const binaries = runnableBy(chooseBinaries(forced, isWorthless ? undefined : existing, place), account);
  if (isWorthless && existing !== binaries.major) rmSync(place, { recursive: true, force: true });

  const cluster = {
    place,
    binaries,
    account,
    forTests,
    ...files,
    password: derivedSecret(key, 'postgres'),
    fingerprint: keyFingerprint(key),
  };
  const stop = async (/** @type {number} */ patienceMs = 20_000) => {
    const current = runningDaemon(files.recordFile);
    if (current) await stopCluster(current, patienceMs);
  };
  if (majorOfCluster(place) === undefined) await progress('making the database', () => initCluster(cluster, signal));
  // One that ran before may be shared.
  const ranBefore = runningDaemon(files.recordFile) !== undefined;
  try {
    const running = await progress('starting PostgreSQL', () => startCluster(cluster));
    const url = clusterUrl(cluster, running.port);
    await checkPostgres(url, 'The PostgreSQL server just started');
    return {
      url,
      label: `PostgreSQL ${binaries.version} (${binaries.source === 'npm' ? 'npm package' : binaries.bin})`,
      running,
      restart: () => startCluster(cluster, running.port),
      stop,
    };
  } catch (error) {
    if (!ranBefore || error instanceof OtherKeyError) await stop();
    throw error;
  }
}

/** @param {string} url @returns {Promise<Server>} */
async function externalServer(url) {
  const version = await checkPostgres(url, 'The server of DATABASE_URL');
  return {
    url,
    label: `PostgreSQL ${version} (DATABASE_URL)`,
    running: undefined,
    restart: () => Promise.reject(new Error('not ours')),
    stop: async () => {},
  };
}

/**
 * The best server binaries of this machine; those of one major version where data exist.
 * @param {string | undefined} forced `local` or `npm`
 * @param {number | undefined} existing major version of the data
 * @param {string} place of the data, for the operator
 */
export function chooseBinaries(forced, existing, place) {
  const { found, refused } = forced === 'npm' ? { found: [], refused: [] } : localBinaries();
  const tried = [...refused];
  if (forced !== 'local') {
    try {
      found.push(npmBinaries());
    } catch (error) {
      tried.push(messageOf(error));
    }
  }
  const fitting = existing === undefined ? found[0] : found.find(({ major }) => major === existing);
  if (fitting) return fitting;
  if (found.length > 0) {
    throw new LaunchError(
      `The data in ${place} was written by PostgreSQL ${existing}, and here is only PostgreSQL ` +
        `${found.map(({ version }) => version).join(' and ')}. Install PostgreSQL ${existing}, or carry the data over ` +
        'with pg_dump and pg_restore, or set DATA_DIR to a new folder.',
    );
  }
  throw new LaunchError(
    ['No PostgreSQL was found.', ...tried.map((line) => `  ${line}`)].join('\n') +
      '\nInstall one (on Debian `apt install postgresql`), or set DATABASE_URL.',
  );
}
