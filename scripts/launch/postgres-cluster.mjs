import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { endOrphans, freePort, recordedPort, runningDaemon, startDaemon, stopDaemon } from './daemon.mjs';
import { childEnvironment, messageOf, searchPath } from './paths.mjs';
import { isRunning, sendSignal, untilGone } from './process-record.mjs';
import { giveTo } from './postgres-account.mjs';
import { connectPostgres } from './postgres-check.mjs';
import { LaunchError } from './terminal.mjs';

const run = promisify(execFile);

/** After a kill of the postmaster its orphans hold shared memory for a few seconds. */
const START_PATIENCE_MS = 20_000;
const SILENCE_MS_MAX = 15_000;
const STOP_PATIENCE_MS = 20_000;
/** SQLSTATE (PostgreSQL, appendix A): cannot_connect_now, invalid_password. */
const [STARTING_UP, WRONG_PASSWORD] = ['57P03', '28P01'];
const SUPERUSER = 'tidings';
const DATABASE = 'tidings';

/** 300 connections: six services, their pools, and the operator's own sessions. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '256MB',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  fsync: 'on',
  synchronous_commit: 'on',
  log_line_prefix: '%m [%p] ',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** Tests lose nothing that matters when the machine stops. */
const TEST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * A PostgreSQL server of our own.
 * @typedef {object} Cluster
 * @property {string} place data directory
 * @property {import('./postgres-binaries.mjs').Binaries} binaries
 * @property {import('./postgres-account.mjs').Account | undefined} account
 * @property {string} password of the superuser, derived from the master key
 * @property {string} fingerprint of the master key
 * @property {string} recordFile
 * @property {string} logFile
 * @property {boolean} forTests
 */

/** The master key is another than the one that the data was made under. */
export class OtherKeyError extends LaunchError {}

/** The major version of an existing data directory. @param {string} place @returns {number | undefined} */
export function majorOfCluster(place) {
  const file = path.join(place, 'PG_VERSION');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
}

/** @param {Cluster} cluster @param {number} port */
export function clusterUrl({ password }, port, database = DATABASE) {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Lies in the cluster, so that it goes wherever the data goes: only the refusal of another key reads it. */
const FINGERPRINT_FILE = 'tidings-key-fingerprint';

/** @param {Cluster} cluster */
function recordFingerprint({ place, fingerprint, account }) {
  const file = path.join(place, FINGERPRINT_FILE);
  if (existsSync(file)) return;
  writeFileSync(file, `${fingerprint}\n`, { mode: 0o600 });
  giveTo(file, account);
}

/** @param {Cluster} cluster */
function otherKey({ place, fingerprint }) {
  const file = path.join(place, FINGERPRINT_FILE);
  const expected = existsSync(file)
    ? `it was made under the key with the fingerprint ${readFileSync(file, 'utf8').trim()}`
    : 'it was made under another key, whose fingerprint is not recorded there';
  return new OtherKeyError(
    `The master key does not open the database in ${place}. Its fingerprint is ${fingerprint}; ${expected}. ` +
      'Put the key of the first start back (master.key in the data directory, or MASTER_KEY).',
  );
}

/**
 * Creates the data directory completely or not at all. Collation C keeps indexes valid across C libraries. The
 * character type is UTF-8; otherwise lower() and trigrams handle ASCII only.
 * @param {Cluster} cluster
 * @param {AbortSignal} [signal] ends initdb; the promise settles once its processes have ended
 */
export async function initCluster(cluster, signal) {
  const { place, binaries, account, password, forTests } = cluster;
  const parent = path.dirname(place);
  for (const name of readdirSync(parent)) {
    if (name.startsWith('postgres.new-')) rmSync(path.join(parent, name), { recursive: true, force: true });
  }
  const draft = path.join(parent, `postgres.new-${process.pid}`);
  const passwordFile = path.join(draft, 'password');
  /** @type {string[]} */
  const failures = [];
  for (const locale of await localesToTry()) {
    signal?.throwIfAborted();
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    giveTo(draft, account);
    giveTo(passwordFile, account);
    const fresh = path.join(draft, 'cluster');
    try {
      const running = run(
        path.join(binaries.bin, 'initdb'),
        [
          ...['-D', fresh, '-U', SUPERUSER, '-A', 'scram-sha-256', '-E', 'UTF8', '--no-instructions'],
          ...['--locale=C', '--lc-collate=C', `--lc-ctype=${locale}`, `--pwfile=${passwordFile}`],
          ...(forTests ? ['--no-sync'] : []),
        ],
        { ...(account && { uid: account.uid, gid: account.gid }), cwd: '/', env: { PATH: searchPath().join(':') } },
      );
      // Not the option `signal` of execFile, whose promise does not wait for the end.
      const end = () => running.child.kill('SIGTERM');
      signal?.addEventListener('abort', end, { once: true });
      await running.finally(() => signal?.removeEventListener('abort', end));
      renameSync(fresh, place);
      rmSync(draft, { recursive: true, force: true });
      return;
    } catch (error) {
      failures.push(`${locale}: ${messageOf(error)}`);
    }
  }
  rmSync(draft, { recursive: true, force: true });
  signal?.throwIfAborted();
  throw new LaunchError(`PostgreSQL's data directory could not be made.\n${failures.join('\n')}`);
}

/** C.UTF-8 is in every current C library; macOS before 15 and musl have other names. */
async function localesToTry() {
  const wanted = ['C.UTF-8', 'C.utf8', 'en_US.UTF-8'];
  try {
    const known = (await run('locale', ['-a'], { env: childEnvironment() })).stdout.split('\n');
    return [...new Set([...wanted, ...known.filter((name) => /utf-?8$/i.test(name)).slice(0, 3)])];
  } catch {
    return wanted;
  }
}

/**
 * Starts the server, or adopts one that is still running, and creates its database.
 * @param {Cluster} cluster
 * @param {number} [port] required port, for services that already have the address
 * @returns {Promise<import('./daemon.mjs').Running>}
 * @throws OtherKeyError, and the server may still run then
 */
export async function startCluster(cluster, port) {
  const adopted = await adoptCluster(cluster);
  if (adopted && (port === undefined || adopted.port === port)) return adopted;
  if (adopted) await stopCluster(adopted);

  const until = Date.now() + START_PATIENCE_MS;
  for (;;) {
    await endOrphans(cluster.place, 'postgres');
    forgetDeadPostmaster(cluster.place);
    const started = launchPostmaster(cluster, port ?? (await freePort(recordedPort(cluster.recordFile))));
    if (await isAnswering(cluster, started)) {
      await makeDatabase(clusterUrl(cluster, started.port, 'postgres'));
      return started;
    }
    if (isRunning(started.record)) await stopDaemon(started, { signal: 'SIGQUIT', patienceMs: 5_000 });
    if (Date.now() > until) {
      throw new LaunchError(`PostgreSQL did not start. The end of ${cluster.logFile}:\n${started.lastLines()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** @param {Cluster} cluster @param {number} port */
function launchPostmaster({ place, binaries, account, recordFile, logFile, forTests }, port) {
  const settings = Object.entries({ ...SETTINGS, ...(forTests && TEST_SETTINGS), port: String(port) });
  return startDaemon({
    command: path.join(binaries.bin, 'postgres'),
    args: ['-D', place, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    port,
    cwd: '/',
    logFile,
    recordFile,
    account,
  });
}

/**
 * Fast shutdown: ends the sessions, writes a checkpoint. After the patience an immediate one, from which the next start
 * recovers.
 * @param {import('./daemon.mjs').Running} running
 * @param {number} [patienceMs]
 */
export async function stopCluster(running, patienceMs = STOP_PATIENCE_MS) {
  sendSignal(running.record, 'SIGINT');
  if (await untilGone(running.record, patienceMs)) return;
  await stopDaemon(running, { signal: 'SIGQUIT', patienceMs: 1_000 });
}

/** @param {Cluster} cluster */
async function adoptCluster(cluster) {
  const running = runningDaemon(cluster.recordFile);
  if (!running) return undefined;
  const adopted = await isAnswering(cluster, running);
  if (adopted) {
    await makeDatabase(clusterUrl(cluster, running.port, 'postgres'));
    return running;
  }
  await stopCluster(running);
  return undefined;
}

/**
 * True as soon as the server takes connections; false when it ended or stayed silent. One that recovers from a crash
 * says so and is waited for.
 * @param {Cluster} cluster
 * @param {import('./daemon.mjs').Running} running
 */
async function isAnswering(cluster, { record, port }) {
  let silentUntil = Date.now() + SILENCE_MS_MAX;
  while (isRunning(record) && Date.now() < silentUntil) {
    try {
      const client = await connectPostgres(clusterUrl(cluster, port, 'postgres'));
      await client.end();
      recordFingerprint(cluster);
      return true;
    } catch (error) {
      const { code } = /** @type {{ code?: string }} */ (error);
      if (code === WRONG_PASSWORD) {
        throw otherKey(cluster);
      }
      if (code === STARTING_UP) silentUntil = Date.now() + SILENCE_MS_MAX;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  return false;
}

/** @param {string} url of the maintenance database */
async function makeDatabase(url) {
  const client = await connectPostgres(url);
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/**
 * PostgreSQL refuses to start while the process number in postmaster.pid is taken, even when another program has it by
 * now. Ours is known to have ended: nothing works in its folder any more.
 * @param {string} place
 */
function forgetDeadPostmaster(place) {
  if (process.platform === 'linux') rmSync(path.join(place, 'postmaster.pid'), { force: true });
}
