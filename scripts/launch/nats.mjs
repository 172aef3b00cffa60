import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { daemonFiles, endOrphans, freePort, recordedPort, runningDaemon, startDaemon, stopDaemon } from './daemon.mjs';
import { findNatsServer } from './nats-binaries.mjs';
import { askNats, checkNats } from './nats-probe.mjs';
import { makeDataDirectory } from './paths.mjs';
import { eventually, isRunning } from './process-record.mjs';
import { derivedSecret } from './secrets.mjs';
import { LaunchError, progress } from './terminal.mjs';

/** Recovering streams from disk takes longer the more there is. */
const START_PATIENCE_MS = 60_000;
/** Others may be at work on a server that is slow to answer on a busy machine. */
const SILENCE_MS_MAX = 15_000;

/**
 * Provides NATS with JetStream: NATS_URL, else a server of our own.
 * @param {object} options
 * @param {string} options.dataDir
 * @param {string} options.key
 * @param {string | undefined} [options.forced] `url`, `path`, `cache`, `archive` or `apt`
 * @param {string | undefined} [options.given] a server that others run
 * @param {import('./nats-binaries.mjs').ArchiveSums} [options.archiveSums] for an archive other than the project's own
 * @returns {Promise<import('./postgres.mjs').Server>}
 */
export async function provideNats({ dataDir, key, forced, given, archiveSums }) {
  if (forced && !['url', 'path', 'cache', 'archive', 'apt'].includes(forced)) {
    throw new LaunchError(`TIDINGS_NATS is «${forced}»; it takes url, path, cache, archive or apt.`);
  }
  if (forced === 'url' && !given) throw new LaunchError('TIDINGS_NATS=url needs NATS_URL.');
  if (given && (!forced || forced === 'url')) return externalServer(given);

  makeDataDirectory(dataDir);
  const binary = await findNatsServer(forced, archiveSums);
  const home = path.join(dataDir, 'nats');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const plan = { home, binary, token: derivedSecret(key, 'nats'), ...daemonFiles(dataDir, 'nats') };
  const running = await progress('starting NATS', () => startNats(plan));
  const url = natsUrl(plan, running.port);
  const version = await checkNats(url, 'The nats-server just started');
  return {
    url,
    label: `nats-server ${version} (${binary.source === 'path' ? binary.file : binary.source})`,
    running,
    restart: () => startNats(plan, running.port),
    stop: async (patienceMs = 20_000) => {
      const current = runningDaemon(plan.recordFile);
      // At SIGTERM it writes its streams' state; it ends with status 0, 1 or 143.
      if (current) await stopDaemon(current, { signal: 'SIGTERM', patienceMs });
    },
  };
}

/** @param {string} url @returns {Promise<import('./postgres.mjs').Server>} */
async function externalServer(url) {
  const version = await checkNats(url, 'The server of NATS_URL');
  return {
    url,
    label: `nats-server ${version} (NATS_URL)`,
    running: undefined,
    restart: () => Promise.reject(new Error('not ours')),
    stop: async () => {},
  };
}

/**
 * @typedef {object} NatsPlan
 * @property {string} home
 * @property {import('./nats-binaries.mjs').NatsBinary} binary
 * @property {string} token
 * @property {string} recordFile
 * @property {string} logFile
 */

/** @param {NatsPlan} plan @param {number} port */
function natsUrl({ token }, port) {
  return `nats://${token}@127.0.0.1:${port}`;
}

/**
 * Starts the server, or adopts one that is still running.
 * @param {NatsPlan} plan
 * @param {number} [port] required port, for services that already have the address
 * @returns {Promise<import('./daemon.mjs').Running>}
 */
async function startNats(plan, port) {
  const adopted = runningDaemon(plan.recordFile);
  if (
    adopted &&
    (port === undefined || port === adopted.port) &&
    (await answers(natsUrl(plan, adopted.port), SILENCE_MS_MAX))
  )
    return adopted;
  if (adopted) await stopDaemon(adopted, { signal: 'SIGTERM', patienceMs: 20_000 });
  // Two servers on one store would ruin it.
  await endOrphans(plan.home, 'nats-server');

  const chosen = port ?? (await freePort(recordedPort(plan.recordFile)));
  const config = path.join(plan.home, 'nats.conf');
  writeFileSync(config, configuration(plan, chosen), { mode: 0o600 });
  const { home, logFile, recordFile } = plan;
  const started = startDaemon({
    command: plan.binary.file,
    args: ['-c', config],
    port: chosen,
    cwd: home,
    logFile,
    recordFile,
  });
  const up = await eventually(
    async () => !isRunning(started.record) || (await answers(natsUrl(plan, chosen))),
    START_PATIENCE_MS,
  );
  if (up && isRunning(started.record)) return started;
  await stopDaemon(started, { signal: 'SIGTERM', patienceMs: 5_000 });
  throw new LaunchError(`nats-server did not start. The end of ${logFile}:\n${started.lastLines()}`);
}

/** @param {string} url @param {number} [patienceMs] */
async function answers(url, patienceMs = 2_000) {
  return askNats(url, patienceMs).then(
    () => true,
    () => false,
  );
}

/** @param {NatsPlan} plan @param {number} port */
function configuration({ home, token }, port) {
  return [
    'host: "127.0.0.1"',
    `port: ${port}`,
    'max_payload: 8MB',
    // A connection that answers no ping is closed after 6 to 9 s; until then calls to its process would be lost.
    'ping_interval: "3s"',
    'ping_max: 2',
    `authorization { token: ${JSON.stringify(token)} }`,
    `jetstream { store_dir: ${JSON.stringify(path.join(home, 'store'))} }`,
    '',
  ].join('\n');
}
