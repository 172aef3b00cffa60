import { spawn } from 'node:child_process';
import { outputLine, readOutput } from './service-output.mjs';
import { LaunchError, say, write } from './terminal.mjs';

/**
 * Without a limit, Node leaves gigabytes of garbage of long jobs uncollected; containers are bounded by their limits.
 * The default of four helper threads for collection costs more than it saves when other processes need the processors
 * too.
 */
const NODE_OPTIONS = '--max-old-space-size=384 --v8-pool-size=1';

const BACK_OFF_MS = { first: 200, most: 10_000 };
const HEALTHY_AFTER_MS = 30_000;
const FIRST_TRIES = 5;
const STOP_PATIENCE_MS = 30_000;
const LAST_LINES = 20;
/** What a process ends with when its settings are wrong: trying again changes nothing. */
const WRONG_SETTINGS = 78;

/**
 * @typedef {object} ServicePlan
 * @property {string} name
 * @property {string} main compiled entry
 * @property {NodeJS.ProcessEnv} environment what it is started with; the rest follows when it may begin
 * @property {(facts: Record<string, unknown>, pid: number) => void} [onReady] each time it is up
 */

/**
 * ServiceProcess is a Node process that is restarted whenever it ends. It loads its modules at once and begins at the
 * launcher's signal, so that processes that begin in order load in parallel. A closed channel signals the launcher's
 * end. It has its own process group, since an interrupt typed at the terminal is for the launcher, and reports when it
 * is up.
 */
export class ServiceProcess {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #stopping = false;
  #everReady = false;
  #backOffMs = BACK_OFF_MS.first;
  #failedTries = 0;
  /** @type {string[]} */
  #lastLines = [];
  /** @type {NodeJS.Timeout | undefined} */
  #restart;
  /** @type {ServicePlan} */
  #plan;
  /** @type {Record<string, string> | undefined} what it may begin with, once it may */
  #given;
  /** @type {Promise<Record<string, unknown>>} */
  #up;
  /** @type {(facts: Record<string, unknown>) => void} */
  #ready = () => {};
  /** @type {(error: Error) => void} */
  #failed = () => {};

  /** Starts loading it. @param {ServicePlan} plan */
  constructor(plan) {
    this.#plan = plan;
    this.#up = this.#untilUp();
    this.#spawn();
  }

  /** @returns {Promise<Record<string, unknown>>} */
  #untilUp() {
    const up = new Promise((resolve, reject) => {
      this.#ready = resolve;
      this.#failed = reject;
    });
    // It is awaited only once the process may begin.
    up.catch(() => {});
    return up;
  }

  get name() {
    return this.#plan.name;
  }

  /**
   * Signals the process to begin. Resolves with the service's facts once it is up; rejects when it ended five times
   * before that.
   * @param {Record<string, string>} [environment] added to the environment of its start
   * @returns {Promise<Record<string, unknown>>}
   */
  begin(environment = {}) {
    this.#given = environment;
    this.#tellToBegin();
    return this.#up;
  }

  /** Ends the waiting of `begin`; the process itself is for `stop`. */
  giveUpStarting() {
    this.#stopping = true;
    this.#failed(new LaunchError('Stopped while starting.'));
  }

  /** Asks it to finish and waits; kills it when it does not. @param {number} [patienceMs] */
  async stop(patienceMs = STOP_PATIENCE_MS) {
    this.#stopping = true;
    clearTimeout(this.#restart);
    if (this.#child) await this.#end(this.#child, patienceMs);
  }

  /**
   * Replaces the process by one that runs the current build. The new process loads its modules while the old one
   * finishes, and begins when that has ended. Resolves when the new one is up.
   */
  async replace() {
    clearTimeout(this.#restart);
    const old = this.#child;
    const environment = this.#given;
    this.#given = undefined;
    this.#up = this.#untilUp();
    this.#spawn();
    if (old) await this.#end(old, STOP_PATIENCE_MS);
    if (!this.#stopping && environment) await this.begin(environment);
  }

  /** Ends it at once. */
  kill() {
    this.#stopping = true;
    this.#child?.kill('SIGKILL');
  }

  /** @param {import('node:child_process').ChildProcess} child @param {number} patienceMs */
  async #end(child, patienceMs) {
    // Its output may be open still, when something it started holds that; then nothing more is said of its end.
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const kill = setTimeout(() => {
      say(`${this.name} did not stop within ${(patienceMs / 1000).toFixed(0)} s and is killed.`, { level: 'warn' });
      child.kill('SIGKILL');
    }, patienceMs);
    await gone;
    clearTimeout(kill);
  }

  #spawn() {
    const { main, environment } = this.#plan;
    const startedAt = Date.now();
    const child = spawn(process.execPath, [main], {
      detached: true,
      env: { NODE_OPTIONS, ...environment, TIDINGS_LAUNCHED: '1' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    let isReady = false;
    for (const stream of [child.stdout, child.stderr])
      readOutput(/** @type {any} */ (stream), (line) => this.#report(line));
    child.on('message', (message) => {
      const { type, ...facts } = /** @type {{ type?: string }} */ (message);
      if (type !== 'ready') return;
      isReady = true;
      this.#everReady = true;
      this.#plan.onReady?.(facts, /** @type {number} */ (child.pid));
      this.#ready(facts);
    });
    if (this.#given) this.#tellToBegin();
    child.once('error', (error) => this.#report(error.message));
    child.once('close', (status, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (this.#stopping) return;
      if (status === WRONG_SETTINGS && !this.#everReady) return this.#giveUp('cannot start with these settings');
      this.#ended({ how: signal ?? `status ${status}`, isReady, livedMs: Date.now() - startedAt });
    });
  }

  #tellToBegin() {
    // A process that has ended meanwhile gets the signal at its restart.
    if (this.#child?.connected) this.#child.send({ type: 'begin', environment: this.#given }, () => {});
  }

  /** @param {string} line */
  #report(line) {
    this.#lastLines = [...this.#lastLines.slice(1 - LAST_LINES), line];
    const shown = outputLine(this.name, line);
    if (shown !== undefined) write(shown);
  }

  /** @param {string} why */
  #giveUp(why) {
    const lines = this.#lastLines
      .map((line) => `  ${line.startsWith('{') ? line : `[${this.name}] ${line}`}`)
      .join('\n');
    this.#failed(new LaunchError(`${this.name} ${why}. Its last lines:\n${lines}`));
  }

  /** @param {{ how: string, isReady: boolean, livedMs: number }} end */
  #ended({ how, isReady, livedMs }) {
    if (!this.#everReady && ++this.#failedTries >= FIRST_TRIES) {
      return this.#giveUp(`ended ${FIRST_TRIES} times while starting (${how})`);
    }
    if (isReady && livedMs >= HEALTHY_AFTER_MS) this.#backOffMs = BACK_OFF_MS.first;
    say(`${this.name} ended (${how}); starting it again in ${this.#backOffMs / 1000} s.`, { level: 'warn' });
    this.#restart = setTimeout(() => this.#spawn(), this.#backOffMs);
    this.#backOffMs = Math.min(this.#backOffMs * 2, BACK_OFF_MS.most);
  }
}
