import { spawn } from 'node:child_process';
import path from 'node:path';
import { endProcess, eventually, readJson, recordOf } from '../launch/process-record.mjs';

/** Longer than any step of a proof on a busy machine. */
const PATIENCE_MS = 1_800_000;
const GONE_MS = 5_000;

/** @typedef {ReturnType<Installation['launch']>} Launched */

/** Tidings as its launcher runs it, with its data in a folder of the proof. */
export class Installation {
  /** @param {{ folder: string, port: number, settings?: Record<string, string>, account?: { uid: number, gid: number } }} options */
  constructor({ folder, port, settings = {}, account }) {
    this.dataDir = path.join(folder, 'data');
    this.account = account;
    const { DATABASE_URL: _1, NATS_URL: _2, TIDINGS_POSTGRES: _3, TIDINGS_BUILD_DIR: _4, ...rest } = process.env;
    this.environment = {
      ...rest,
      HOME: path.join(folder, 'home'),
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || path.join(process.env.HOME || '/root', '.cache'),
      DATA_DIR: this.dataDir,
      PORT: String(port),
      MASTER_KEY: '5a'.repeat(32),
      LOG_LEVEL: 'warn',
      ...settings,
    };
  }

  /**
   * Runs the launcher of a checkout; `out` and `err` grow with what it prints.
   * @param {string} checkout @param {string[]} args @param {Record<string, string>} [more] settings
   */
  launch(checkout, args, more = {}) {
    const env = { ...this.environment, ...more };
    const options = { cwd: checkout, env, ...this.account, detached: true };
    const child = spawn(process.execPath, ['scripts/launch.mjs', ...args], options);
    const launched = { child, out: '', err: '', status: Promise.resolve(0) };
    child.stdout.on('data', (chunk) => (launched.out += chunk));
    child.stderr.on('data', (chunk) => (launched.err += chunk));
    launched.status = new Promise((resolve) => child.once('close', (status) => resolve(status ?? 1)));
    return launched;
  }

  /** @param {string} checkout @param {string[]} args @param {Record<string, string>} [more] @returns {Promise<Launched>} when it is ready */
  async start(checkout, args, more) {
    const launched = this.launch(checkout, ['start', ...args], more);
    const isReady = () => launched.out.includes('Tidings is ready');
    await eventually(() => isReady() || launched.child.exitCode !== null, PATIENCE_MS);
    if (!isReady()) throw new Error(`the start failed:\n${launched.out}\n${launched.err}`);
    return launched;
  }

  get runtime() {
    return /** @type {any} */ (readJson(path.join(this.dataDir, 'runtime.json')));
  }

  /** Kills the launcher, the services and both servers, as a machine that stops does. */
  async killAll() {
    const { runtime } = this;
    const servers = ['postgres', 'nats'].map((name) => readJson(path.join(this.dataDir, `${name}.process.json`)));
    const services = Object.values(runtime?.services ?? {}).map(({ pid }) => recordOf(pid));
    const running = [runtime, ...servers, ...services].filter((one) => one?.pid);
    await Promise.all(running.map((one) => endProcess(one, { signal: 'SIGKILL', patienceMs: GONE_MS })));
  }
}

/** @param {string} what @param {() => boolean | Promise<boolean>} condition */
export async function until(what, condition) {
  if (!(await eventually(condition, PATIENCE_MS))) throw new Error(`${what} did not happen`);
}
