import { createServer } from 'node:net';
import path from 'node:path';
import { isFree } from './daemon.mjs';
import { tryLock } from './file-lock.mjs';
import { eventually, isRunning, readJson } from './process-record.mjs';
import { LaunchError } from './terminal.mjs';

/**
 * What the operator's command needs of the running system; a file of mode 0600 beside its data.
 * @typedef {object} Runtime
 * @property {number} pid of the launcher
 * @property {string} startedAt
 * @property {number} port
 * @property {string} url
 * @property {string} buildDir
 * @property {Record<string, string>} environment of the services, without the master key
 * @property {Record<string, Record<string, unknown>>} services their pid and what they said of themselves
 */

/**
 * Calls that were running when the launcher was killed may run to their deadline before the old gateway frees its port.
 */
const OLD_GATEWAY_PATIENCE_MS = 30_000;

/** @param {string} dataDir */
export function runtimeFile(dataDir) {
  return path.join(dataDir, 'runtime.json');
}

/** The system that runs on this data directory, if one does. @param {string} dataDir */
export function runningSystem(dataDir) {
  const runtime = /** @type {Runtime | undefined} */ (readJson(runtimeFile(dataDir)));
  return isRunning(runtime) ? runtime : undefined;
}

/**
 * Makes this launcher the only one on the data directory.
 * @param {string} dataDir
 */
export function lockSystem(dataDir) {
  const lock = tryLock(path.join(dataDir, 'launcher.lock'));
  if ('release' in lock) return lock;
  const where = runningSystem(dataDir)?.url;
  throw new LaunchError(
    `Tidings already runs on ${dataDir} (process ${lock.holder.pid}${where ? `, ${where}` : ''}). ` +
      'Stop that one first, or give this one a DATA_DIR and a PORT of its own.',
  );
}

/**
 * Takes the port before anything is started, so that two starts cannot meet on it later; `release` hands it to the
 * gateway. A gateway of a killed launcher may still finish its calls: it is waited for.
 * @param {number} port
 * @param {string} dataDir
 * @returns {Promise<{ release: () => Promise<void> }>}
 */
export async function claimPort(port, dataDir) {
  const isOurs = /** @type {Runtime | undefined} */ (readJson(runtimeFile(dataDir)))?.port === port;
  /** @type {import('node:net').Server | undefined} */
  let held;
  const take = async () => {
    held = (await isFree(port)) ? await listenOn(port) : undefined;
    return held !== undefined;
  };
  if (await eventually(take, isOurs ? OLD_GATEWAY_PATIENCE_MS : 0)) {
    return { release: () => new Promise((resolve) => held?.close(() => resolve())) };
  }
  throw new LaunchError(`Port ${port} is taken by another program. End that one, or set PORT to another number.`);
}

/**
 * Reserves a port; connections this early are closed.
 * @param {number} port
 * @returns {Promise<import('node:net').Server | undefined>}
 */
function listenOn(port) {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ port, exclusive: true }, () => resolve(server.unref()));
  });
}
