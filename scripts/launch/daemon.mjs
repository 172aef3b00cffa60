import { spawn } from 'node:child_process';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { searchPath } from './paths.mjs';
import { endProcess, isRunning, readJson, recordOf, sendSignal, writeJson } from './process-record.mjs';

/**
 * A database or broker process. It outlives a killed launcher, so it is recorded in the data directory.
 * @typedef {{ record: import('./process-record.mjs').ProcessRecord, port: number, exited: Promise<void> }} Running
 *
 * @typedef {object} DaemonPlan
 * @property {string} command
 * @property {string[]} args
 * @property {number} port
 * @property {string} cwd its own data: marks the process as ours where /proc can be read
 * @property {string} logFile
 * @property {string} recordFile
 * @property {{ uid: number, gid: number } | undefined} [account]
 */

const LOG_BYTES_MAX = 10_000_000;

/**
 * Starts a process of its own group: an interrupt typed at the terminal reaches the launcher only, which stops
 * everything in order.
 * @param {DaemonPlan} plan
 * @returns {Running & { lastLines(): string }}
 */
export function startDaemon({ command, args, port, cwd, logFile, recordFile, account }) {
  const log = openLog(logFile);
  const logStart = statSync(logFile).size;
  const child = spawn(command, args, {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd,
    detached: true,
    env: { PATH: searchPath().join(':'), LC_ALL: 'C' },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  /** @type {Promise<void>} */
  const exited = new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  const record = child.pid === undefined ? { pid: 0, startedAt: '' } : recordOf(child.pid);
  writeJson(recordFile, { ...record, port });
  return {
    record,
    port,
    exited,
    lastLines: () => readFileSync(logFile).subarray(logStart).toString().trim().split('\n').slice(-15).join('\n'),
  };
}

/**
 * The recorded process, when it still runs.
 * @param {string} recordFile
 * @returns {Running | undefined}
 */
export function runningDaemon(recordFile) {
  const found = /** @type {(import('./process-record.mjs').ProcessRecord & { port: number }) | undefined} */ (
    readJson(recordFile)
  );
  if (!found || !isRunning(found)) return undefined;
  const { port, ...record } = found;
  return { record, port, exited: exitOf(record) };
}

/** Returns the port of the last run, so that noted addresses stay valid. @param {string} recordFile */
export function recordedPort(recordFile) {
  return /** @type {{ port?: number } | undefined} */ (readJson(recordFile))?.port;
}

/**
 * Ends a daemon in its own gentle way and forgets nothing but the process (the port is kept for the next start).
 * @param {Running} running
 * @param {{ signal: NodeJS.Signals, patienceMs: number }} how
 */
export async function stopDaemon(running, how) {
  await endProcess(running.record, how);
}

/**
 * An adopted process is not our child, so its end is found by polling.
 * @param {import('./process-record.mjs').ProcessRecord} record
 */
function exitOf(record) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const timer = setInterval(() => {
        if (isRunning(record)) return;
        clearInterval(timer);
        resolve();
      }, 300);
      timer.unref();
    })
  );
}

/**
 * Ends what still works in a data folder after its parent was killed: processes of that command whose working
 * directory it is. Known on Linux only; elsewhere the caller's retries have to do.
 * @param {string} folder
 * @param {string} command
 */
export async function endOrphans(folder, command) {
  const orphans = processesIn(folder, command).map(recordOf);
  for (const orphan of orphans) sendSignal(orphan, 'SIGINT');
  await Promise.all(orphans.map((orphan) => endProcess(orphan, { signal: 'SIGQUIT', patienceMs: 3_000 })));
}

/** @param {string} folder @param {string} command */
function processesIn(folder, command) {
  if (process.platform !== 'linux') return [];
  const place = realpathSync(folder);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readlinkSync(`/proc/${pid}/cwd`) === place &&
          readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === command.slice(0, 15)
        );
      } catch {
        return false;
      }
    });
}

/** @param {string} file */
function openLog(file) {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX) {
    rmSync(`${file}.1`, { force: true });
    renameSync(file, `${file}.1`);
  }
  return openSync(file, 'a', 0o600);
}

/**
 * Returns a free port of 127.0.0.1: the preferred one when it is free, else any.
 * @param {number} [preferred]
 * @returns {Promise<number>}
 */
export async function freePort(preferred) {
  if (preferred && (await isFree(preferred))) return preferred;
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/**
 * Whether this port of 127.0.0.1 is free.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * The paths of one daemon below a data directory.
 * @param {string} dataDir
 * @param {string} name
 */
export function daemonFiles(dataDir, name) {
  return { recordFile: path.join(dataDir, `${name}.process.json`), logFile: path.join(dataDir, `${name}.log`) };
}
