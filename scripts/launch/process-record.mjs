import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { childEnvironment } from './paths.mjs';

/**
 * A process, distinguished by its start time from a later one with the same number.
 * @typedef {{ pid: number, startedAt: string }} ProcessRecord
 */

/** @returns {ProcessRecord} */
export function ownRecord() {
  return recordOf(process.pid);
}

/**
 * @param {number} pid a running process
 * @returns {ProcessRecord}
 */
export function recordOf(pid) {
  return { pid, startedAt: startOf(pid) ?? '' };
}

/**
 * True while that very process runs.
 * @param {Partial<ProcessRecord> | undefined} record
 */
export function isRunning(record) {
  if (!record?.pid || !record.startedAt) return false;
  return startOf(record.pid) === record.startedAt;
}

/**
 * When a process started, in words of the system that never repeat; undefined when there is none (or a zombie).
 * @param {number} pid
 * @returns {string | undefined}
 */
function startOf(pid) {
  if (process.platform === 'linux') return startOnLinux(pid);
  try {
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: childEnvironment({ LC_ALL: 'C' }),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split(/\s+/);
    return state?.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function startOnLinux(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields are counted behind the command's closing bracket: the command itself may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

/**
 * Reads a JSON file; undefined when it is missing or torn.
 * @template T
 * @param {string} file
 * @returns {T | undefined}
 */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Writes a JSON file whole or not at all, readable by its owner only.
 * @param {string} file
 * @param {unknown} value
 */
export function writeJson(file, value) {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Ends a recorded process: the signal, and after the patience SIGKILL. Resolves when it is gone.
 * @param {ProcessRecord} record
 * @param {{ signal?: NodeJS.Signals, patienceMs: number }} how
 */
export async function endProcess(record, { signal = 'SIGTERM', patienceMs }) {
  sendSignal(record, signal);
  if (await untilGone(record, patienceMs)) return;
  sendSignal(record, 'SIGKILL');
  await untilGone(record, 5_000);
}

/**
 * @param {ProcessRecord} record
 * @param {NodeJS.Signals} signal
 */
export function sendSignal(record, signal) {
  if (!isRunning(record)) return;
  try {
    process.kill(record.pid, signal);
  } catch (error) {
    // Gone between the look and the signal.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/**
 * True when the process ended within the patience.
 * @param {ProcessRecord} record
 * @param {number} patienceMs
 */
export async function untilGone(record, patienceMs) {
  return eventually(() => !isRunning(record), patienceMs);
}

/**
 * Asks again and again until the answer is yes (true), or the patience is over (false).
 * @param {() => boolean | Promise<boolean>} question
 * @param {number} patienceMs
 */
export async function eventually(question, patienceMs) {
  const until = Date.now() + patienceMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    if (await question()) return true;
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
